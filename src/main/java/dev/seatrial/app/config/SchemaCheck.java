package dev.seatrial.app.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Holds a document against a JSON Schema and says what is wrong in words for people, with the place in the file. */
public final class SchemaCheck {
    private final JsonNode source;
    private final Schema schema;
    private final Messages words;

    /**
     * @param resource the schema on the class path
     * @param words bundle {@code config.schema}
     */
    public SchemaCheck(String resource, Messages words) {
        try (InputStream in = SchemaCheck.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + resource);
            }
            this.source = new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(source);
        this.words = words;
    }

    /** Every problem, one for each place. */
    public List<Problem> problems(YamlTree tree) {
        Map<String, Problem> found = new LinkedHashMap<>();
        for (Error error : schema.validate(tree.json())) {
            Problem problem = problem(tree, error);
            found.putIfAbsent(problem.line() + ":" + problem.column() + ":" + problem.path(), problem);
        }
        return new ArrayList<>(found.values());
    }

    private Problem problem(YamlTree tree, Error error) {
        YamlTree.At at = tree.at(error.getInstanceLocation().toString());
        JsonNode rules = rules(error);
        String property = Optional.ofNullable(error.getProperty()).orElse("");
        return switch (error.getKeyword()) {
            case "required" -> {
                YamlTree.At missing = at.field(property);
                yield tree.fieldProblem(
                        missing,
                        words.text("schema.required"),
                        example(resolve(rules.path("properties").path(property)), property + ": "));
            }
            case "additionalProperties" ->
                tree.fieldProblem(at.field(property), words.text("schema.unknown"), known(property, rules));
            case "type" ->
                tree.problem(
                        at,
                        at.present()
                                ? words.text("schema.type", types(rules.path("type")), type(at.node()))
                                : words.text("schema.novalue"),
                        example(rules, ""));
            case "enum" -> {
                List<String> allowed = strings(rules.path("enum"));
                yield tree.problem(
                        at,
                        words.text("schema.enum", shown(at)),
                        at.text()
                                .flatMap(t -> Guess.of(t, allowed))
                                .map(g -> words.text("schema.guess", g))
                                .orElse(words.text("schema.oneof", String.join(", ", allowed))));
            }
            case "propertyNames" -> {
                YamlTree.At named = property.isEmpty() ? at : at.field(property);
                yield tree.fieldProblem(
                        named,
                        words.text("schema.name"),
                        example(resolve(resolve(rules).path("propertyNames")), ""));
            }
            case "exclusiveMinimum" ->
                tree.problem(
                        at,
                        words.text(
                                "schema.above", rules.path("exclusiveMinimum").asText(), shown(at)),
                        "");
            case "minimum" ->
                tree.problem(
                        at, words.text("schema.least", rules.path("minimum").asText(), shown(at)), "");
            case "maximum" ->
                tree.problem(
                        at,
                        words.text(
                                "schema.most",
                                rules.path("maximum").decimalValue().toPlainString(),
                                shown(at)),
                        "");
            case "minItems", "minProperties", "minLength" ->
                tree.problem(at, words.text("schema.few"), example(rules, ""));
            case "maxItems", "maxProperties", "maxLength" ->
                tree.problem(
                        at,
                        words.text("schema.many", rules.path(error.getKeyword()).asText()),
                        "");
            case "uniqueItems" -> tree.problem(at, words.text("schema.twice"), "");
            default -> tree.problem(at, words.text("schema.form", shown(at)), example(rules, ""));
        };
    }

    /** The schema object whose keyword was broken. */
    private JsonNode rules(Error error) {
        String location = error.getSchemaLocation().toString();
        JsonPointer keyword = JsonPointer.compile(location.substring(location.indexOf('#') + 1));
        JsonPointer owner = keyword.head();
        return owner == null ? MissingNode.getInstance() : source.at(owner);
    }

    private JsonNode resolve(JsonNode rules) {
        JsonNode ref = rules.path("$ref");
        return ref.isTextual() ? source.at(ref.textValue().substring(1)) : rules;
    }

    private String example(JsonNode rules, String before) {
        List<String> examples = strings(rules.path("examples"));
        List<String> allowed = strings(rules.path("enum"));
        if (!examples.isEmpty()) {
            return words.text("schema.example", before + String.join(", ", examples));
        }
        return allowed.isEmpty() ? "" : words.text("schema.oneof", String.join(", ", allowed));
    }

    private String known(String written, JsonNode rules) {
        List<String> fields = new ArrayList<>();
        rules.path("properties").fieldNames().forEachRemaining(fields::add);
        return Guess.of(written, fields)
                .map(g -> words.text("schema.guess", g))
                .orElse(words.text("schema.fields", String.join(", ", fields)));
    }

    private String types(JsonNode type) {
        return type.isArray()
                ? String.join(
                        words.text("schema.or"),
                        strings(type).stream()
                                .map(t -> words.text("schema.type." + t))
                                .toList())
                : words.text("schema.type." + type.asText());
    }

    private String type(JsonNode node) {
        return words.text("schema.type."
                + switch (node.getNodeType()) {
                    case OBJECT -> "object";
                    case ARRAY -> "array";
                    case BOOLEAN -> "boolean";
                    case NUMBER -> "number";
                    default -> "string";
                });
    }

    private static String shown(YamlTree.At at) {
        String text = at.scalar().orElse("…").strip();
        return text.length() > 60 ? text.substring(0, 60) + "…" : text;
    }

    private static List<String> strings(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(n -> texts.add(n.asText()));
        return texts;
    }
}
