package dev.seatrial.vendors.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One request.
 *
 * @param method {@code GET}, {@code POST}, {@code PUT} or {@code DELETE}
 * @param path below the base address, without a leading slash; segments already encoded
 * @param query in order; encoded when sent
 * @param body JSON text
 * @param headers of this call alone, such as a signature over it
 * @param secrets texts of this call that must never leave in a message, such as that signature and the key it was made with
 */
public record HttpCall(
        Lane lane,
        String method,
        String path,
        Map<String, String> query,
        Optional<String> body,
        Map<String, String> headers,
        List<String> secrets) {
    public HttpCall {
        query = new LinkedHashMap<>(query);
        headers = Map.copyOf(headers);
        secrets = List.copyOf(secrets);
    }

    public HttpCall(Lane lane, String method, String path, Map<String, String> query, Optional<String> body) {
        this(lane, method, path, query, body, Map.of(), List.of());
    }

    public static HttpCall get(Lane lane, String path) {
        return new HttpCall(lane, "GET", path, Map.of(), Optional.empty());
    }

    public static HttpCall delete(Lane lane, String path) {
        return new HttpCall(lane, "DELETE", path, Map.of(), Optional.empty());
    }

    public static HttpCall post(Lane lane, String path, String body) {
        return new HttpCall(lane, "POST", path, Map.of(), Optional.of(body));
    }

    public static HttpCall put(Lane lane, String path, String body) {
        return new HttpCall(lane, "PUT", path, Map.of(), Optional.of(body));
    }

    /** The same with one more query parameter. */
    public HttpCall with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(query);
        more.put(name, value);
        return new HttpCall(lane, method, path, more, body, headers, secrets);
    }

    /** The same, signed for this once. */
    public HttpCall signed(Map<String, String> signature, List<String> unspeakable) {
        return new HttpCall(lane, method, path, query, body, signature, unspeakable);
    }

    boolean writes() {
        return !method.equals("GET");
    }

    /** Never shows headers, query or body. */
    @Override
    public String toString() {
        return method + " /" + path;
    }
}
