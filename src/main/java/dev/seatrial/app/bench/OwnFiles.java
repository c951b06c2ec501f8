package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.seatrial.app.config.Guess;
import dev.seatrial.app.config.Messages;
import dev.seatrial.app.config.Problem;
import dev.seatrial.app.config.ProblemsException;
import dev.seatrial.app.config.SchemaCheck;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.config.YamlFile;
import dev.seatrial.app.config.YamlTree;
import dev.seatrial.app.config.YamlTree.At;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The user's own identities, references and policy, which go before the program's. Immutable.
 *
 * @param references of the form {@code references.schema.json}
 * @param policy of the form {@code policy.schema.json}
 */
public record OwnFiles(Optional<File> references, Optional<File> policy) {
    public static final OwnFiles NONE = new OwnFiles(Optional.empty(), Optional.empty());

    /**
     * One file, checked.
     *
     * @param name as the user named it
     * @param json what it says
     */
    public record File(String name, JsonNode json) {
        /** The file's own name, without the way to it. */
        String shortName() {
            Path last = Path.of(name).getFileName();
            return last == null ? name : last.toString();
        }
    }

    /**
     * What an own file says in place of the program's data.
     *
     * @param file the file
     * @param what GPU and metric, or the policy's key
     * @param own the own value
     * @param shipped the program's value; empty where it has none
     */
    public record Override(String file, String what, String own, String shipped) {}

    /**
     * Reads the files that the settings name, or those in the data directory.
     *
     * @throws ProblemsException with file, line and column, when one cannot be used
     */
    public static OwnFiles read(Settings settings, Locale locale) {
        Reader reader = new Reader(locale);
        Optional<File> references = settings.references().flatMap(f -> reader.read(f, "bench/references.schema.json"));
        Optional<File> policy = settings.policy().flatMap(f -> reader.read(f, "bench/policy.schema.json"));
        reader.end();
        return new OwnFiles(references, policy);
    }

    JsonNode referencesJson() {
        return references.map(File::json).orElse(MissingNode.getInstance());
    }

    JsonNode policyJson() {
        return policy.map(File::json).orElse(MissingNode.getInstance());
    }

    /** Everything that these files change, in their order. */
    public List<Override> overrides() {
        List<Override> found = new ArrayList<>();
        references.ifPresent(file -> {
            GpuCatalogue shipped = GpuCatalogue.load();
            file.json().path("gpus").forEach(gpu -> {
                String name = gpu.path("name").asText();
                found.add(new Override(
                        file.name(),
                        name,
                        "GPU",
                        shipped.find(name).map(GpuModel::name).orElse("")));
            });
            References known = References.load();
            GpuCatalogue all = GpuCatalogue.load(this);
            for (JsonNode group : file.json().path("references")) {
                for (JsonNode gpu : group.path("gpus")) {
                    String name = all.find(gpu.asText()).map(GpuModel::name).orElse(gpu.asText());
                    group.path("values")
                            .properties()
                            .forEach(value -> found.add(new Override(
                                    file.name(),
                                    name + " " + value.getKey(),
                                    Words.number(value.getValue().asDouble()),
                                    known.any(name, value.getKey()))));
                }
            }
            rules(file, found);
        });
        policy.ifPresent(file -> {
            rules(file, found);
            JsonNode shipped = Data.resource("policy.yaml");
            file.json().properties().stream()
                    .filter(section -> !section.getKey().equals("metrics"))
                    .forEach(section ->
                            leaves(file, section.getKey(), section.getValue(), shipped.path(section.getKey()), found));
        });
        return List.copyOf(found);
    }

    private static void rules(File file, List<Override> found) {
        Policy shipped = Policy.load();
        for (JsonNode rule : file.json().path("metrics")) {
            String match = rule.path("match").asText();
            found.add(new Override(
                    file.name(),
                    match,
                    rule.path("rule").asText(),
                    shipped.rule(match).map(r -> r.kind().word()).orElse("")));
        }
    }

    private static void leaves(File file, String path, JsonNode own, JsonNode shipped, List<Override> found) {
        if (own.isObject()) {
            own.properties()
                    .forEach(e -> leaves(file, path + "." + e.getKey(), e.getValue(), shipped.path(e.getKey()), found));
            return;
        }
        found.add(new Override(file.name(), path, text(own), shipped.isMissingNode() ? "" : text(shipped)));
    }

    private static String text(JsonNode node) {
        return node.isNumber() ? Words.number(node.asDouble()) : node.isValueNode() ? node.asText() : node.toString();
    }

    /** Collects every problem of both files before it throws. */
    private static final class Reader {
        private final Messages yamlWords;
        private final Messages schemaWords;
        private final Locale locale;
        private final List<Problem> problems = new ArrayList<>();

        Reader(Locale locale) {
            this.locale = locale;
            yamlWords = new Messages("config.yaml", locale);
            schemaWords = new Messages("config.schema", locale);
        }

        Optional<File> read(Path path, String schema) {
            Optional<YamlTree> tree;
            try {
                tree = YamlFile.readIfAny(path, path.toString(), yamlWords);
            } catch (ProblemsException e) {
                problems.addAll(e.problems());
                return Optional.empty();
            }
            tree.ifPresent(t -> {
                List<Problem> form = new SchemaCheck(schema, schemaWords).problems(t);
                problems.addAll(form);
                if (form.isEmpty()) {
                    sense(t);
                }
            });
            return tree.map(t -> new File(path.toString(), t.json()));
        }

        private void sense(YamlTree tree) {
            for (At rule : tree.root().field("metrics").items()) {
                At match = rule.field("match");
                try {
                    Pattern.compile(match.text().orElse(""));
                } catch (PatternSyntaxException e) {
                    problems.add(tree.problem(
                            match, Words.sure("own.pattern", java.util.Map.of("why", e.getDescription()), locale), ""));
                }
            }
            List<String> own = tree.root().field("gpus").items().stream()
                    .flatMap(g -> g.field("name").text().stream())
                    .toList();
            GpuCatalogue shipped = GpuCatalogue.load();
            for (At group : tree.root().field("references").items()) {
                for (At gpu : group.field("gpus").items()) {
                    String name = gpu.text().orElse("");
                    if (!own.contains(name) && !shipped.isKnown(name)) {
                        List<String> near = new ArrayList<>(shipped.suggestions(name));
                        Guess.of(name, own).ifPresent(near::add);
                        problems.add(tree.problem(
                                gpu,
                                Words.sure("own.gpu", java.util.Map.of("gpu", name), locale),
                                String.join(", ", near)));
                    }
                }
            }
        }

        void end() {
            if (!problems.isEmpty()) {
                throw new ProblemsException(
                        problems.stream().sorted(Problem.BY_POSITION).toList());
            }
        }
    }
}
