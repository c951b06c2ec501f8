package dev.seatrial.vendors.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One request.
 *
 * @param method {@code GET}, {@code POST}, {@code PUT} or {@code DELETE}
 * @param path below the base address, without a leading slash; segments already encoded
 * @param query in order; encoded when sent
 * @param body JSON text
 */
public record HttpCall(Lane lane, String method, String path, Map<String, String> query, Optional<String> body) {
    public HttpCall {
        query = new LinkedHashMap<>(query);
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
        return new HttpCall(lane, method, path, more, body);
    }

    boolean writes() {
        return !method.equals("GET");
    }
}
