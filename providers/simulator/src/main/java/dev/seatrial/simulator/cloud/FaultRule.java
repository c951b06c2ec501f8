package dev.seatrial.simulator.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * One thing that goes wrong, and when. Calls are counted per rule from its installation, among the calls it matches.
 *
 * @param operation which calls
 * @param from first matching call concerned, from 1
 * @param to last matching call concerned
 * @param probability chance per matching call inside {@code from..to}; empty = always
 * @param seed of the dice
 * @param match part of an instance's name or id; empty matches all
 * @param effect whether a spoilt call is carried out all the same
 * @param action what happens
 * @param times most applications
 * @param active how long the rule works after its installation; empty = for ever
 * @param status HTTP status, or exit status of a command
 * @param code the vendor's error code
 * @param message the vendor's words
 * @param retryAfter sent as header and in the body
 * @param delay real time that the answer is held back, at most two minutes
 * @param span length on the simulated clock, by action
 * @param factor price factor
 * @param word state word
 * @param withId whether a refusal of a carried-out create names the instance
 */
public record FaultRule(
        Operation operation,
        long from,
        long to,
        OptionalDouble probability,
        long seed,
        String match,
        Effect effect,
        Action action,
        long times,
        Optional<Duration> active,
        int status,
        String code,
        String message,
        OptionalLong retryAfter,
        Duration delay,
        Duration span,
        double factor,
        String word,
        boolean withId) {
    /** Kinds of calls that can go wrong. */
    public enum Operation {
        CREATE,
        GET,
        LIST,
        RELEASE,
        ACCOUNT,
        OFFERS,
        IMAGES,
        KEYS,
        DEADLINE,
        BALANCE,
        COST,
        /** An authentication on a machine. */
        LOGIN,
        /** A command on a machine. */
        SSH
    }

    /** Whether a spoilt call takes effect. */
    public enum Effect {
        /** It does not. */
        NONE,
        /** It does, before the answer is spoilt. */
        BEFORE,
        /** It does, {@code seconds} after the spoilt answer. Only for create and release. */
        AFTER
    }

    /** What happens. */
    public enum Action {
        STATUS(true),
        DROP(true),
        HTML(true),
        EMPTY(true),
        /** A whole answer that holds half a document. */
        TRUNCATE(true),
        /** A connection that breaks in the middle of the body. */
        CUT(true),
        /** An error document under status 200. */
        ERROR_200(true),
        /** Valid JSON of another shape. */
        ODD_SHAPE(true),
        /** A list that looks right and is empty. */
        EMPTY_LIST(true),
        /** "Accepted", and nothing is done. */
        PRETEND(true),
        DELAY(false),
        UNKNOWN_STATE(false),
        NUMBER_IDS(false),
        /** Create: missing from reads for {@code seconds}. */
        HIDE(false),
        NEVER_BOOTS(false),
        FAILS(false),
        DEAD_SSH(false),
        SLOW_BOOT(false),
        /** Create: reads show the state of {@code seconds} ago. */
        LAG(false),
        /** Create: billed and shown at {@code factor} times the quote. */
        PRICE(false),
        /** Release: this and later releases of the instance are refused for {@code seconds}. */
        REFUSE(false),
        /** Release: takes {@code seconds} longer. */
        SLOW_RELEASE(false),
        /** The matching instances are gone at once, behind everyone's back. */
        VANISH(false),
        /** Command: chatter before the output. */
        NOISE(false);

        private final boolean spoils;

        Action(boolean spoils) {
            this.spoils = spoils;
        }

        /** Whether it replaces the answer. */
        public boolean spoils() {
            return spoils;
        }
    }

    private static final List<String> KEYS = List.of(
            "operation",
            "call",
            "from",
            "to",
            "probability",
            "seed",
            "match",
            "effect",
            "action",
            "times",
            "forSeconds",
            "status",
            "code",
            "message",
            "retryAfterSeconds",
            "delayMillis",
            "seconds",
            "factor",
            "word",
            "withId");

    /**
     * Reads a rule.
     *
     * @throws IllegalArgumentException for unknown keys, unknown words and values out of range, in plain words
     */
    public static FaultRule read(JsonNode json) {
        if (!json.isObject()) {
            throw new IllegalArgumentException("a fault is a JSON object");
        }
        for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!KEYS.contains(name)) {
                throw new IllegalArgumentException("unknown key '" + name + "'; known are " + String.join(", ", KEYS));
            }
        }
        if (json.has("call") && (json.has("from") || json.has("to"))) {
            throw new IllegalArgumentException("give either 'call' or 'from' and 'to'");
        }
        long from = whole(json, json.has("call") ? "call" : "from", 1, 1, Long.MAX_VALUE);
        long to = json.has("call") ? from : whole(json, "to", Long.MAX_VALUE, from, Long.MAX_VALUE);
        Operation operation = word(json, "operation", Operation.class, null);
        Action action = word(json, "action", Action.class, null);
        Effect effect = word(json, "effect", Effect.class, Effect.NONE);
        if (effect == Effect.AFTER && operation != Operation.CREATE && operation != Operation.RELEASE) {
            throw new IllegalArgumentException("effect 'after' is for create and release only");
        }
        return new FaultRule(
                operation,
                from,
                to,
                json.has("probability")
                        ? OptionalDouble.of(number(json, "probability", 0, 0, 1))
                        : OptionalDouble.empty(),
                whole(json, "seed", 1, Long.MIN_VALUE, Long.MAX_VALUE),
                json.path("match").asText(""),
                effect,
                action,
                whole(json, "times", Long.MAX_VALUE, 1, Long.MAX_VALUE),
                json.has("forSeconds") ? Optional.of(seconds(number(json, "forSeconds", 0, 0, 1e9))) : Optional.empty(),
                (int) whole(json, "status", operation == Operation.SSH ? 1 : 500, 0, 599),
                json.path("code").asText("internal"),
                json.path("message").asText("The simulated vendor says no."),
                json.has("retryAfterSeconds")
                        ? OptionalLong.of(whole(json, "retryAfterSeconds", 1, 0, 86_400))
                        : OptionalLong.empty(),
                Duration.ofMillis(whole(json, "delayMillis", 0, 0, 120_000)),
                seconds(number(json, "seconds", 0, 0, 1e9)),
                number(json, "factor", 1, 0, 1000),
                json.path("word").asText("transmogrifying"),
                json.path("withId").asBoolean(false));
    }

    private static Duration seconds(double value) {
        return Duration.ofMillis(Math.round(value * 1000));
    }

    private static double number(JsonNode json, String key, double otherwise, double least, double most) {
        JsonNode node = json.path(key);
        if (node.isMissingNode()) {
            return otherwise;
        }
        if (!node.isNumber() || !(node.asDouble() >= least && node.asDouble() <= most)) {
            throw new IllegalArgumentException("'" + key + "' must be a number from " + least + " to " + most);
        }
        return node.asDouble();
    }

    private static long whole(JsonNode json, String key, long otherwise, long least, long most) {
        JsonNode node = json.path(key);
        if (node.isMissingNode()) {
            return otherwise;
        }
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.asLong() < least || node.asLong() > most) {
            throw new IllegalArgumentException("'" + key + "' must be a whole number from " + least + " to " + most);
        }
        return node.asLong();
    }

    private static <E extends Enum<E>> E word(
            JsonNode json, String key, Class<E> type, @org.jspecify.annotations.Nullable E otherwise) {
        if (!json.has(key) && otherwise != null) {
            return otherwise;
        }
        String text = json.path(key).asText("");
        for (E value : type.getEnumConstants()) {
            if (text.equals(value.name().toLowerCase(Locale.ROOT).replace('_', '-'))) {
                return value;
            }
        }
        StringBuilder known = new StringBuilder();
        for (E value : type.getEnumConstants()) {
            known.append(known.length() == 0 ? "" : ", ")
                    .append(value.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        }
        throw new IllegalArgumentException("'" + key + "' must be one of " + known + ", not '" + text + "'");
    }
}
