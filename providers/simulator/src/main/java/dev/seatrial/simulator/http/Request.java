package dev.seatrial.simulator.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A request as it came.
 *
 * @param path without the query
 * @param query decoded
 * @param headers names in lower case
 */
public record Request(String method, String path, Map<String, String> query, Map<String, String> headers, byte[] body) {
    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
