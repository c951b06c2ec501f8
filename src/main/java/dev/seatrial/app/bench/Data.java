package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Reads the data files that ship with the program. */
final class Data {
    private Data() {}

    /** The YAML file {@code bench/NAME} of the class path as a tree. */
    static JsonNode resource(String name) {
        try (InputStream in = Data.class.getResourceAsStream("/bench/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the program's file bench/" + name + " is missing");
            }
            return new YAMLMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException("the program's file bench/" + name + " is broken", e);
        }
    }

    /** The texts of a list; of a single value a list of one. */
    static List<String> texts(JsonNode node) {
        List<String> texts = new ArrayList<>();
        if (node.isArray()) {
            node.forEach(item -> texts.add(item.asText()));
        } else if (node.isValueNode() && !node.isNull()) {
            texts.add(node.asText());
        }
        return List.copyOf(texts);
    }

    static Optional<String> text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isValueNode() && !value.isNull() && !value.asText().isBlank()
                ? Optional.of(value.asText())
                : Optional.empty();
    }

    /** A finite number; empty for anything else, never 0 in its place. */
    static OptionalDouble number(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isNumber() && Double.isFinite(value.asDouble())
                ? OptionalDouble.of(value.asDouble())
                : OptionalDouble.empty();
    }

    /** A whole number in the range of an int; empty for anything else. */
    static OptionalInt whole(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isNumber() && value.canConvertToInt() ? OptionalInt.of(value.asInt()) : OptionalInt.empty();
    }

    /** A boolean; empty for anything else. */
    static Optional<Boolean> flag(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isBoolean() ? Optional.of(value.asBoolean()) : Optional.empty();
    }
}
