package dev.seatrial.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Speaks to a simulator as any program would. */
public final class Client {
    public static final String PUBLIC_KEY =
            "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA== test";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ObjectMapper json = new ObjectMapper();
    private final URI base;
    private final String key;

    public Client(Simulator simulator) {
        this(simulator, SimulatorOptions.DEFAULT_KEY);
    }

    public Client(Simulator simulator, String key) {
        this.base = simulator.baseUri();
        this.key = key;
    }

    public HttpResponse<String> raw(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(base.resolve(path))
                .header("Authorization", "Bearer " + key)
                .timeout(Duration.ofSeconds(20))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public JsonNode call(String method, String path, String body) {
        try {
            return json.readTree(raw(method, path, body.replace('\'', '"')).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public JsonNode get(String path) {
        return call("GET", path, "");
    }

    public JsonNode delete(String path) {
        return call("DELETE", path, "");
    }

    /** Registers the key and creates an instance of this name; the answer. */
    public JsonNode create(String name, String offer, String publicKey) {
        String id = call("POST", "/v1/keys", "{'name': 'key-" + name + "', 'publicKey': '" + publicKey + "'}")
                .path("id")
                .asText();
        return call(
                "POST",
                "/v1/instances",
                "{'name': '" + name + "', 'token': '" + name + "', 'offer': '" + offer + "', 'keyId': '" + id + "'}");
    }

    public JsonNode create(String name) {
        return create(name, "a100-x1", PUBLIC_KEY);
    }
}
