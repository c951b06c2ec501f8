package dev.seatrial.app.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.ledger.HomeLock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The second terminal's side of the control endpoint. */
public final class ControlClient {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final String url;
    private final String token;

    private final boolean takesPlans;

    private ControlClient(String url, String token, boolean takesPlans) {
        this.url = url;
        this.token = token;
        this.takesPlans = takesPlans;
    }

    /** The endpoint of the process that owns this directory; empty when none has announced itself. */
    public static Optional<ControlClient> of(Path home) {
        Path file = home.resolve(ControlServer.FILE);
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try {
            JsonNode n = new ObjectMapper().readTree(Files.readAllBytes(file));
            long pid = n.path("pid").asLong(0);
            // The file of a process that was killed stays; its lock does not.
            boolean alive = HomeLock.owner(home).filter(o -> o.pid() == pid).isPresent();
            String url = n.path("url").asText();
            return alive && url.startsWith("http://127.0.0.1:")
                    ? Optional.of(new ControlClient(
                            url, n.path("token").asText(), n.path("takesPlans").asBoolean()))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether plans are to be handed over to that process. */
    public boolean takesPlans() {
        return takesPlans;
    }

    /** What came back. @param detail in plain words when it was refused */
    public record Answer(boolean done, String detail) {}

    /**
     * Hands a plan over.
     *
     * @param file what it is called in problems; paths in it are relative to its directory
     * @param key idempotency key
     * @param language of the problems, as in {@code Accept-Language}
     * @return status and document of the answer; a problem document when it was refused
     * @throws IOException when no answer came; the same key may be sent again
     */
    public Reply start(String yaml, Path file, boolean partial, String key, String language) throws IOException {
        try {
            HttpResponse<String> r = http.send(
                    request("/evaluations?partial=" + partial + "&file="
                                    + enc(file.toAbsolutePath().toString()))
                            .header("Content-Type", "application/yaml")
                            .header("Idempotency-Key", key)
                            .header("Accept-Language", language)
                            .POST(HttpRequest.BodyPublishers.ofString(yaml))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return new Reply(r.statusCode(), mapper.readTree(r.body()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** An answer. */
    public record Reply(int status, JsonNode document) {}

    public Answer resume(String evaluation) {
        return post("/evaluations/" + enc(evaluation) + "/resume", "");
    }

    public Answer cancel(String evaluation) {
        return post("/evaluations/" + enc(evaluation) + "/cancel", "");
    }

    /** Cancels every evaluation there. */
    public Answer stopAll() {
        return post("/stop", "");
    }

    public Answer approve(String evaluation, String candidate, boolean yes) {
        return post(
                "/evaluations/" + enc(evaluation) + "/trials/" + enc(candidate) + "/approve",
                "{\"approved\":" + yes + "}");
    }

    public Answer raiseCap(String evaluation, Optional<String> candidate, BigDecimal cap) {
        ObjectNode body = mapper.createObjectNode().put("cap", cap);
        candidate.ifPresent(c -> body.put("candidate", c));
        return post("/evaluations/" + enc(evaluation) + "/cap", body.toString());
    }

    public Answer skip(String evaluation, String candidate, Optional<String> stage) {
        ObjectNode body = mapper.createObjectNode();
        stage.ifPresent(s -> body.put("stage", s));
        return post("/evaluations/" + enc(evaluation) + "/trials/" + enc(candidate) + "/skip", body.toString());
    }

    public Answer cancelTrial(String evaluation, String candidate) {
        return post("/evaluations/" + enc(evaluation) + "/trials/" + enc(candidate) + "/cancel", "");
    }

    public Answer release(String lease) {
        return post("/leases/" + enc(lease) + "/release", "");
    }

    private Answer post(String path, String body) {
        try {
            HttpResponse<String> r = http.send(
                    request(path)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (r.statusCode() / 100 == 2) {
                return new Answer(true, "");
            }
            return new Answer(false, detail(r.body(), r.statusCode()));
        } catch (IOException e) {
            return new Answer(false, "the running process does not answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(false, "interrupted");
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + "/api/v1" + path))
                .timeout(LIMIT)
                .header("Authorization", "Bearer " + token);
    }

    private String detail(String body, int status) {
        try {
            String detail = mapper.readTree(body).path("detail").asText("");
            return detail.isEmpty() ? "HTTP " + status : detail;
        } catch (IOException e) {
            return "HTTP " + status;
        }
    }

    private static String enc(String s) {
        return URLEncoder.encode(s, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
