package dev.seatrial.domain.measure;

import java.util.Map;

/**
 * Something noticed.
 *
 * @param code UPPER_SNAKE, key of the message bundles
 * @param severity weight
 * @param owner whose it is
 * @param message English text; screens in other languages render {@code code} with {@code params}
 * @param params values for the message
 * @param evidence raw text that shows it, capped; may be empty
 * @param next what to do about it, English; may be empty
 */
public record Finding(
        String code,
        Severity severity,
        Owner owner,
        String message,
        Map<String, String> params,
        String evidence,
        String next) {
    public Finding {
        params = Map.copyOf(params);
    }
}
