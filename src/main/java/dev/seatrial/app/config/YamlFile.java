package dev.seatrial.app.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads a small YAML file that a person wrote into a JSON tree that knows where everything stood. Safe on any input:
 * size, depth, aliases and the number of values are limited, no type but text, number, true/false, list and map exists.
 *
 * <p>Words are read as YAML 1.2 does: {@code 20:30}, {@code yes} and {@code off} are text.
 */
public final class YamlFile {
    /** Largest file, in bytes. */
    static final int MAX_BYTES = 256 * 1024;

    private static final int MAX_DEPTH = 20;
    // Aliases can nest what the parser has seen as flat, even without end.
    private static final int MAX_EXPANDED_DEPTH = 40;
    private static final int MAX_ALIASES = 20;
    private static final int MAX_VALUES = 20_000;
    // Long numbers and large exponents would cost memory once they are written out.
    private static final Pattern NUMBER =
            Pattern.compile("[-+]?(?:\\.[0-9]{1,20}|[0-9]{1,20}(?:\\.[0-9]{0,20})?)(?:[eE][-+]?[0-9])?");
    private static final Pattern LEADING_ZERO = Pattern.compile("[-+]?0[0-9].*");

    private final String name;
    private final Messages words;
    private final List<Problem> problems = new ArrayList<>();
    private final Map<String, YamlTree.Place> keys = new HashMap<>();
    private final Map<String, YamlTree.Place> values = new HashMap<>();
    private int count;

    private YamlFile(String name, Messages words) {
        this.name = name;
        this.words = words;
    }

    /**
     * Reads a file.
     *
     * @param name how the user named it
     * @param words bundle {@code config.yaml}
     * @throws ProblemsException when it cannot be read, is not YAML, is empty or is no map
     */
    public static YamlTree read(Path file, String name, Messages words) {
        return readIfAny(file, name, words).orElseThrow(() -> new YamlFile(name, words)
                .fail(YamlTree.Place.NONE, words.text("yaml.empty"), words.text("yaml.empty.hint")));
    }

    /** As {@link #read}, but a file in which nothing stands is no problem. */
    public static Optional<YamlTree> readIfAny(Path file, String name, Messages words) {
        return new YamlFile(name, words).load(file);
    }

    /** As {@link #read}, of text that came another way. */
    public static YamlTree parse(String text, String name, Messages words) {
        YamlFile yaml = new YamlFile(name, words);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw yaml.fail(YamlTree.Place.NONE, words.text("yaml.large", MAX_BYTES / 1024), "");
        }
        return yaml.tree(yaml.decode(bytes))
                .orElseThrow(
                        () -> yaml.fail(YamlTree.Place.NONE, words.text("yaml.empty"), words.text("yaml.empty.hint")));
    }

    private Optional<YamlTree> load(Path file) {
        return tree(decode(bytes(file)));
    }

    private Optional<YamlTree> tree(String text) {
        Node root = compose(text);
        if (root == null) {
            return Optional.empty();
        }
        YamlTree.Place start = YamlTree.Place.of(root.getStartMark());
        values.put("", start);
        JsonNode tree = convert(root, "", "", 1);
        if (!problems.isEmpty()) {
            throw new ProblemsException(
                    problems.stream().sorted(Problem.BY_POSITION).toList());
        }
        if (!tree.isObject()) {
            throw fail(start, words.text("yaml.nomap"), words.text("yaml.nomap.hint"));
        }
        return Optional.of(new YamlTree(name, tree, keys, values));
    }

    private @Nullable Node compose(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_BYTES);
        options.setNestingDepthLimit(MAX_DEPTH);
        options.setMaxAliasesForCollections(MAX_ALIASES);
        try {
            return new Yaml(options).compose(new StringReader(text));
        } catch (MarkedYAMLException e) {
            Mark mark = e.getProblemMark() != null ? e.getProblemMark() : e.getContextMark();
            String why = e.getProblem() != null ? e.getProblem() : e.getContext();
            throw fail(YamlTree.Place.of(mark), words.text("yaml.syntax", oneLine(why)), "");
        } catch (YAMLException e) {
            throw fail(YamlTree.Place.NONE, words.text("yaml.syntax", oneLine(e.getMessage())), "");
        }
    }

    private byte[] bytes(Path file) {
        if (Files.isDirectory(file)) {
            throw fail(YamlTree.Place.NONE, words.text("yaml.directory"), words.text("yaml.directory.hint"));
        }
        if (!Files.exists(file)) {
            throw fail(YamlTree.Place.NONE, words.text("yaml.missing"), "");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw fail(YamlTree.Place.NONE, words.text("yaml.large", MAX_BYTES / 1024), "");
            }
            return bytes;
        } catch (IOException e) {
            throw fail(YamlTree.Place.NONE, words.text("yaml.unreadable", oneLine(String.valueOf(e.getMessage()))), "");
        }
    }

    private String decode(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(in, out, true);
        String text = out.flip().toString();
        if (result.isError()) {
            int line = (int) text.chars().filter(c -> c == '\n').count() + 1;
            int column = text.length() - text.lastIndexOf('\n');
            throw fail(new YamlTree.Place(line, column), words.text("yaml.utf8"), words.text("yaml.utf8.hint"));
        }
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private JsonNode convert(Node node, String pointer, String path, int depth) {
        if (depth > MAX_EXPANDED_DEPTH) {
            throw fail(YamlTree.Place.of(node.getStartMark()), words.text("yaml.deep", MAX_EXPANDED_DEPTH), "");
        }
        if (++count > MAX_VALUES) {
            throw fail(YamlTree.Place.of(node.getStartMark()), words.text("yaml.bomb", MAX_VALUES), "");
        }
        if (!node.getTag().getValue().startsWith("tag:yaml.org,2002:")) {
            problem(node, path, words.text("yaml.tag", node.getTag().getValue()), "");
        }
        if (node instanceof MappingNode map) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            for (NodeTuple entry : map.getValue()) {
                if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                    problem(entry.getKeyNode(), path, words.text("yaml.key"), "");
                    continue;
                }
                String field = key.getValue();
                String at = YamlTree.pointer(pointer, field);
                String fieldPath = path.isEmpty() ? field : path + "." + field;
                if (object.has(field)) {
                    YamlTree.Place first = keys.getOrDefault(at, YamlTree.Place.NONE);
                    problem(key, fieldPath, words.text("yaml.duplicate", field, first.line()), "");
                    continue;
                }
                keys.put(at, YamlTree.Place.of(key.getStartMark()));
                values.put(at, YamlTree.Place.of(entry.getValueNode().getStartMark()));
                object.set(field, convert(entry.getValueNode(), at, fieldPath, depth + 1));
            }
            return object;
        } else if (node instanceof SequenceNode list) {
            var array = JsonNodeFactory.instance.arrayNode();
            for (Node item : list.getValue()) {
                String at = pointer + "/" + array.size();
                values.put(at, YamlTree.Place.of(item.getStartMark()));
                array.add(convert(item, at, path + "[" + array.size() + "]", depth + 1));
            }
            return array;
        } else if (node instanceof ScalarNode scalar) {
            return scalar(scalar);
        }
        throw fail(YamlTree.Place.of(node.getStartMark()), words.text("yaml.syntax", "?"), "");
    }

    private static JsonNode scalar(ScalarNode node) {
        JsonNodeFactory make = JsonNodeFactory.instance;
        String text = node.getValue();
        if (node.getScalarStyle() != ScalarStyle.PLAIN || node.getTag().equals(Tag.STR)) {
            return make.textNode(text);
        }
        return switch (text) {
            case "", "~", "null", "Null", "NULL" -> make.nullNode();
            case "true", "True", "TRUE" -> make.booleanNode(true);
            case "false", "False", "FALSE" -> make.booleanNode(false);
            default ->
                NUMBER.matcher(text).matches() && !LEADING_ZERO.matcher(text).matches()
                        ? DecimalNode.valueOf(new BigDecimal(text))
                        : make.textNode(text);
        };
    }

    private void problem(Node node, String path, String message, String hint) {
        YamlTree.Place at = YamlTree.Place.of(node.getStartMark());
        problems.add(new Problem(name, at.line(), at.column(), path, message, hint));
    }

    private ProblemsException fail(YamlTree.Place at, String message, String hint) {
        return new ProblemsException(List.of(new Problem(name, at.line(), at.column(), "", message, hint)));
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() > 300 ? line.substring(0, 300) + "…" : line;
    }
}
