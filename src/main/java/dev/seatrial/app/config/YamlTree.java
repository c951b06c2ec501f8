package dev.seatrial.app.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;

/** A document and where its parts stood. */
public final class YamlTree {
    private final String file;
    private final JsonNode root;
    private final Map<String, Place> keys;
    private final Map<String, Place> values;

    YamlTree(String file, JsonNode root, Map<String, Place> keys, Map<String, Place> values) {
        this.file = file;
        this.root = root;
        this.keys = Map.copyOf(keys);
        this.values = Map.copyOf(values);
    }

    /**
     * @param line from 1; 0 for the file as a whole
     * @param column from 1
     */
    public record Place(int line, int column) {
        static final Place NONE = new Place(0, 0);

        static Place of(@Nullable Mark mark) {
            return mark == null ? NONE : new Place(mark.getLine() + 1, mark.getColumn() + 1);
        }
    }

    public JsonNode json() {
        return root;
    }

    public At root() {
        return new At("", "", root);
    }

    /** A problem with a value. */
    public Problem problem(At at, String message, String hint) {
        return problem(at.pointer(), at.path(), false, message, hint);
    }

    /** A problem with a field's being there, or with its name. */
    public Problem fieldProblem(At at, String message, String hint) {
        return problem(at.pointer(), at.path(), true, message, hint);
    }

    /** What a JSON pointer leads to; a missing value when there is nothing. */
    public At at(String pointer) {
        At at = root();
        for (String step :
                pointer.isEmpty() ? new String[0] : pointer.substring(1).split("/", -1)) {
            String name = step.replace("~1", "/").replace("~0", "~");
            at = at.node().isArray() ? at.item(Integer.parseInt(name)) : at.field(name);
        }
        return at;
    }

    /** What a path such as {@code candidates[1].cap} leads to; a missing value when there is nothing. */
    public At find(String path) {
        At at = root();
        for (String step : path.isEmpty() ? new String[0] : path.split("[.\\[]")) {
            at = step.endsWith("]") && step.length() > 1
                    ? at.item(Integer.parseInt(step.substring(0, step.length() - 1)))
                    : at.field(step);
        }
        return at;
    }

    private Problem problem(String pointer, String path, boolean key, String message, String hint) {
        Place place = place(pointer, key);
        return new Problem(file, place.line(), place.column(), path, message, hint);
    }

    /** A value that is not there is said to be where its parent is. */
    private Place place(String pointer, boolean key) {
        for (String p = pointer; ; p = p.substring(0, p.lastIndexOf('/'))) {
            Place found = key ? keys.getOrDefault(p, values.get(p)) : values.get(p);
            if (found != null) {
                return found;
            } else if (p.isEmpty()) {
                return Place.NONE;
            }
        }
    }

    static String pointer(String parent, String field) {
        return parent + "/" + field.replace("~", "~0").replace("/", "~1");
    }

    /**
     * A place in the document, with or without something there. Reading it as a type that it is not gives nothing: the
     * schema has said so already.
     *
     * @param pointer JSON pointer
     * @param path as people write it, e.g. {@code candidates[1].cap}
     * @param node what is there
     */
    public record At(String pointer, String path, JsonNode node) {
        public At field(String name) {
            JsonNode child = node.get(name);
            return new At(
                    YamlTree.pointer(pointer, name),
                    path.isEmpty() ? name : path + "." + name,
                    child == null ? MissingNode.getInstance() : child);
        }

        public At item(int index) {
            JsonNode child = node.get(index);
            return new At(
                    pointer + "/" + index, path + "[" + index + "]", child == null ? MissingNode.getInstance() : child);
        }

        public boolean present() {
            return !node.isMissingNode() && !node.isNull();
        }

        public List<At> items() {
            List<At> items = new ArrayList<>();
            for (int i = 0; node.isArray() && i < node.size(); i++) {
                items.add(item(i));
            }
            return items;
        }

        /** Fields in file order. */
        public List<At> fields() {
            List<At> fields = new ArrayList<>();
            node.fieldNames().forEachRemaining(name -> fields.add(field(name)));
            return fields;
        }

        /** The last step: a field's name or an index. */
        public String name() {
            String last = pointer.substring(pointer.lastIndexOf('/') + 1);
            return last.replace("~1", "/").replace("~0", "~");
        }

        public Optional<String> text() {
            return node.isTextual() ? Optional.of(node.textValue()) : Optional.empty();
        }

        /** Text, number or true/false as it was written. */
        public Optional<String> scalar() {
            if (node.isNumber()) {
                return Optional.of(node.decimalValue().toPlainString());
            }
            return node.isValueNode() && present() ? Optional.of(node.asText()) : Optional.empty();
        }

        public Optional<BigDecimal> number() {
            return node.isNumber() ? Optional.of(node.decimalValue()) : Optional.empty();
        }

        /** A whole number of int range. */
        public Optional<Integer> integer() {
            return number().filter(
                            n -> n.stripTrailingZeros().scale() <= 0 && n.abs().compareTo(BigDecimal.TEN.pow(9)) < 0)
                    .map(BigDecimal::intValueExact);
        }
    }
}
