package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

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
}
