package dev.seatrial.simulator.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.cloud.FaultRule;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** Turns an honest answer into what a fault makes of it. */
final class Spoiling {
    private static final String PAGE = "<!DOCTYPE html><html><head><title>Just a moment</title></head>"
            + "<body><h1>Checking your browser</h1></body></html>";

    private Spoiling() {}

    /**
     * What the client gets.
     *
     * @param honest what it would have got
     * @param id named in a refusal; empty = not
     */
    static Answer spoil(FaultRule rule, Answer honest, String id) {
        ObjectNode nothing = JsonNodeFactory.instance.objectNode();
        return switch (rule.action()) {
            case STATUS -> VendorApi.refused(rule.status(), rule.code(), rule.message(), rule.retryAfter(), id);
            case DROP -> Answer.DROPPED;
            case HTML ->
                new Answer(
                        200,
                        "text/html; charset=utf-8",
                        PAGE.getBytes(StandardCharsets.UTF_8),
                        Map.of(),
                        Answer.Ending.WHOLE);
            case EMPTY -> new Answer(honest.status(), "application/json", new byte[0], Map.of(), Answer.Ending.WHOLE);
            case TRUNCATE -> honest.with(Arrays.copyOf(honest.body(), honest.body().length / 2));
            case CUT -> honest.with(Answer.Ending.CUT);
            case ERROR_200 -> VendorApi.refused(200, rule.code(), rule.message(), rule.retryAfter(), id);
            case ODD_SHAPE -> VendorApi.answer(200, nothing.put("ok", true));
            case EMPTY_LIST -> {
                nothing.putArray("instances");
                yield VendorApi.answer(200, nothing.putNull("next"));
            }
            case PRETEND -> honest;
            case DELAY,
                    UNKNOWN_STATE,
                    NUMBER_IDS,
                    HIDE,
                    NEVER_BOOTS,
                    FAILS,
                    DEAD_SSH,
                    SLOW_BOOT,
                    LAG,
                    PRICE,
                    REFUSE,
                    SLOW_RELEASE,
                    VANISH,
                    NOISE -> throw new IllegalStateException(rule.action() + " spoils nothing");
        };
    }

    /** What a write that is not carried out would have answered. */
    static Answer pretended(FaultRule.Operation operation) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        return switch (operation) {
            case CREATE -> VendorApi.answer(201, body.put("id", "99999999").put("state", "provisioning"));
            case RELEASE -> VendorApi.answer(202, body.put("state", "deleting"));
            default -> VendorApi.answer(200, body.put("id", "key-0").put("state", "done"));
        };
    }
}
