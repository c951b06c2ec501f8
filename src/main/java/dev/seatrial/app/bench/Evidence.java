package dev.seatrial.app.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * What a machine's event lines say, unjudged. Reading is total: a line that is no event, a value of the wrong type or a
 * list without end gives less evidence, never an exception.
 *
 * @param measurements figures with verdict UNKNOWN
 * @param findings findings as the machine wrote them
 * @param facts the last value of each fact
 * @param end the machine's own word for how the stage ended; empty when it never said
 * @param why the machine's reason for that end
 */
record Evidence(
        List<Measurement> measurements, List<Finding> findings, Map<String, JsonNode> facts, String end, String why) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_MEASUREMENTS = 5000;
    private static final int MOST_FINDINGS = 500;
    private static final int MOST_FACTS = 100;
    private static final int MOST_ENTRIES = 40;
    private static final int NAME = 80;
    private static final int TEXT = 500;
    private static final int LONG_TEXT = 2000;

    static Evidence read(List<StoredEvent> events) {
        List<Measurement> measurements = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        Map<String, JsonNode> facts = new LinkedHashMap<>();
        String end = "";
        String why = "";
        Set<Long> seen = new HashSet<>();
        List<StoredEvent> ordered = events.stream()
                .sorted(Comparator.comparingLong(StoredEvent::seq))
                .toList();
        for (StoredEvent event : ordered) {
            if (!seen.add(event.seq())) {
                continue;
            }
            JsonNode node = parse(event.json());
            switch (node.path("type").asText()) {
                case "measurement" ->
                    measurement(node)
                            .filter(m -> measurements.size() < MOST_MEASUREMENTS)
                            .ifPresent(measurements::add);
                case "finding" ->
                    finding(node).filter(f -> findings.size() < MOST_FINDINGS).ifPresent(findings::add);
                case "fact" -> {
                    String name = text(node, "name", NAME);
                    if (!name.isEmpty() && (facts.size() < MOST_FACTS || facts.containsKey(name))) {
                        facts.put(name, node.path("value"));
                    }
                }
                case "end" -> {
                    end = text(node, "status", NAME);
                    why = oneLine(text(node, "why", TEXT));
                }
                default -> {
                    // progress, raw and types of a later payload carry nothing to judge
                }
            }
        }
        return new Evidence(List.copyOf(measurements), List.copyOf(findings), Map.copyOf(facts), end, why);
    }

    JsonNode fact(String name) {
        return facts.getOrDefault(name, MissingNode.getInstance());
    }

    boolean has(String code) {
        return findings.stream().anyMatch(f -> f.code().equals(code));
    }

    private static JsonNode parse(String line) {
        try {
            JsonNode node = JSON.readTree(line);
            return node == null ? MissingNode.getInstance() : node;
        } catch (JsonProcessingException e) {
            // A cut or garbled line is no evidence.
            return MissingNode.getInstance();
        }
    }

    private static Optional<Measurement> measurement(JsonNode node) {
        String name = text(node, "name", NAME);
        OptionalDouble value = Data.number(node, "value");
        if (name.isEmpty() || value.isEmpty()) {
            return Optional.empty();
        }
        String tool = (text(node, "tool", NAME) + " " + text(node, "toolVersion", NAME)).strip();
        return Optional.of(new Measurement(
                name,
                Optional.of(text(node, "gpu", NAME)).filter(gpu -> !gpu.isEmpty()),
                value.getAsDouble(),
                text(node, "unit", NAME),
                Math.max(1, Data.whole(node, "n").orElse(1)),
                Data.number(node, "min").orElse(value.getAsDouble()),
                Data.number(node, "max").orElse(value.getAsDouble()),
                Math.max(0, Data.number(node, "cv").orElse(0)),
                text(node, "method", NAME),
                tool,
                "low".equals(text(node, "confidence", NAME)),
                texts(node.path("attrs")),
                Optional.empty(),
                Optional.empty(),
                Verdict.UNKNOWN));
    }

    private static Optional<Finding> finding(JsonNode node) {
        String code = text(node, "code", NAME).toUpperCase(Locale.ROOT);
        if (!code.matches("[A-Z][A-Z0-9_]*")) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                code,
                Severity.of(text(node, "severity", NAME)),
                Owner.of(text(node, "owner", NAME)),
                oneLine(text(node, "message", TEXT)),
                texts(node.path("params")),
                text(node, "evidence", LONG_TEXT),
                oneLine(text(node, "next", TEXT))));
    }

    private static Map<String, String> texts(JsonNode node) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (node.isObject()) {
            node.properties().stream().limit(MOST_ENTRIES).forEach(entry -> {
                JsonNode value = entry.getValue();
                if (!value.isNull()) {
                    texts.put(
                            cut(entry.getKey(), NAME),
                            cut(value.isValueNode() ? value.asText() : value.toString(), TEXT));
                }
            });
        }
        return texts;
    }

    private static String text(JsonNode node, String field, int most) {
        JsonNode value = node.path(field);
        return value.isValueNode() && !value.isNull() ? cut(value.asText(), most) : "";
    }

    /** Reasons are one line on a terminal, which control characters of a machine must not move. */
    private static String oneLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\\p{Zl}\\p{Zp}]+", " ").strip();
    }

    private static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
        return text.substring(0, end);
    }
}
