package dev.seatrial.app.config;

import dev.seatrial.app.config.YamlTree.At;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.vendors.VendorFactory.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds and reads the configuration. */
public final class SettingsLoader {
    private static final String NAME = "[a-z0-9][a-z0-9-]{0,39}";
    private static final String KIND = "kind";
    private static final List<String> FIELDS = List.of("providers", "limits", "references", "policy");

    private final Map<String, String> environment;
    private final Path userHome;
    private final Map<String, List<Setting>> kinds;
    private final Messages yamlWords;
    private final Messages words;

    /**
     * @param environment the process's environment
     * @param userHome the user's home directory
     * @param kinds settings of every kind of vendor there is
     * @param locale language of the problems
     */
    public SettingsLoader(
            Map<String, String> environment, Path userHome, Map<String, List<Setting>> kinds, Locale locale) {
        this.environment = Map.copyOf(environment);
        this.userHome = userHome;
        this.kinds = new TreeMap<>(kinds);
        this.yamlWords = new Messages("config.yaml", locale);
        this.words = new Messages("config.settings", locale);
    }

    /**
     * Reads the configuration and makes the data directory ready.
     *
     * @param file the file the user named; otherwise {@code ~/.config/seatrial/config.yaml}, which need not exist
     * @throws ProblemsException when the file or the directory cannot be used
     */
    public Settings load(Optional<Path> file) {
        Path home = Optional.ofNullable(environment.get("SEATRIAL_HOME"))
                .filter(h -> !h.isBlank())
                .map(Path::of)
                .orElse(userHome.resolve(".local/share/seatrial"))
                .toAbsolutePath()
                .normalize();
        Path from = file.orElse(userHome.resolve(".config/seatrial/config.yaml"));
        Content content = file.isPresent() || Files.exists(from) ? read(from) : Content.NONE;
        new DataDirectory(words).prepare(home);
        return new Settings(
                home,
                from,
                content.providers(),
                content.limits(),
                content.references().or(() -> Settings.own(home, "references.yaml")),
                content.policy().or(() -> Settings.own(home, "policy.yaml")));
    }

    private record Content(
            Map<String, Map<String, String>> providers,
            Optional<SpendLimits> limits,
            Optional<Path> references,
            Optional<Path> policy) {
        static final Content NONE = new Content(Map.of(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private Content read(Path file) {
        Optional<YamlTree> tree = YamlFile.readIfAny(file, file.toString(), yamlWords);
        if (tree.isEmpty()) {
            return Content.NONE;
        }
        List<Problem> problems = new ArrayList<>();
        for (At top : tree.get().root().fields()) {
            if (!FIELDS.contains(top.name())) {
                problems.add(tree.get()
                        .fieldProblem(
                                top,
                                words.text("settings.unknown"),
                                words.text("settings.fields", String.join(", ", FIELDS))));
            }
        }
        At providers = tree.get().root().field("providers");
        if (providers.present() && !providers.node().isObject()) {
            problems.add(tree.get().problem(providers, words.text("settings.providers"), ""));
        }
        Map<String, Map<String, String>> accounts = new LinkedHashMap<>();
        for (At account : providers.fields()) {
            accounts.put(account.name(), account(tree.get(), account, problems));
        }
        Optional<SpendLimits> limits = new LimitsReader(tree.get(), words, accounts.keySet(), problems)
                .read(tree.get().root().field("limits"));
        Optional<Path> references = own(tree.get(), file, "references", problems);
        Optional<Path> policy = own(tree.get(), file, "policy", problems);
        if (!problems.isEmpty()) {
            throw new ProblemsException(
                    problems.stream().sorted(Problem.BY_POSITION).toList());
        }
        return new Content(Collections.unmodifiableMap(accounts), limits, references, policy);
    }

    /** A file that the configuration names; relative to the configuration. */
    private Optional<Path> own(YamlTree tree, Path configuration, String field, List<Problem> problems) {
        At at = tree.root().field(field);
        if (!at.present()) {
            return Optional.empty();
        }
        Optional<String> written = at.text().filter(t -> !t.isBlank());
        if (written.isEmpty()) {
            problems.add(tree.problem(at, words.text("settings.value"), words.text("settings.own.hint", field)));
            return Optional.empty();
        }
        Path path = written.get().startsWith("~/")
                ? userHome.resolve(written.get().substring(2))
                : configuration.toAbsolutePath().resolveSibling(written.get()).normalize();
        if (!Files.isRegularFile(path)) {
            problems.add(tree.problem(
                    at, words.text("settings.own.missing", path.toString()), words.text("settings.own.hint", field)));
        }
        return Optional.of(path);
    }

    private Map<String, String> account(YamlTree tree, At at, List<Problem> problems) {
        if (!at.name().matches(NAME)) {
            problems.add(tree.fieldProblem(at, words.text("settings.name"), words.text("settings.name.hint")));
        }
        At kindAt = at.field(KIND);
        Optional<String> kind = kindAt.text();
        Optional<List<Setting>> settings = kind.map(kinds::get);
        if (settings.isEmpty()) {
            String hint = kind.flatMap(k -> Guess.of(k, kinds.keySet()))
                    .map(g -> words.text("settings.guess", g))
                    .orElse(words.text("settings.oneof", String.join(", ", kinds.keySet())));
            problems.add(
                    kind.isPresent()
                            ? tree.problem(kindAt, words.text("settings.kind.unknown", kind.get()), hint)
                            : tree.fieldProblem(kindAt, words.text("settings.kind.missing"), hint));
            return Map.of();
        }
        Map<String, String> values = new LinkedHashMap<>();
        values.put(KIND, kind.get());
        flatten(tree, at, "", settings.get(), values, problems);
        for (Setting setting : settings.get()) {
            if (setting.required() && !values.containsKey(setting.name())) {
                problems.add(tree.fieldProblem(at, words.text("settings.missing", setting.name()), hint(setting)));
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private void flatten(
            YamlTree tree,
            At at,
            String prefix,
            List<Setting> kind,
            Map<String, String> values,
            List<Problem> problems) {
        for (At field : at.fields()) {
            String name = prefix + field.name();
            if (name.equals(KIND)) {
                continue;
            }
            Optional<Setting> setting =
                    kind.stream().filter(s -> s.name().equals(name)).findFirst();
            boolean group = kind.stream().anyMatch(s -> s.name().startsWith(name + "."));
            if (setting.isEmpty() && group && field.node().isObject()) {
                flatten(tree, field, name + ".", kind, values, problems);
            } else if (setting.isEmpty()) {
                List<String> names = kind.stream().map(Setting::name).toList();
                String hint = Guess.of(name, names)
                        .map(g -> words.text("settings.guess", g))
                        .orElse(words.text("settings.fields", String.join(", ", names)));
                problems.add(tree.fieldProblem(field, words.text(group ? "settings.group" : "settings.unknown"), hint));
            } else {
                values.put(name, value(tree, field, setting.get(), problems));
            }
        }
    }

    /** Whatever stands there; with a problem noted nobody will use it. */
    private String value(YamlTree tree, At field, Setting setting, List<Problem> problems) {
        Optional<String> value = field.scalar().filter(v -> !v.isBlank());
        if (value.isEmpty()) {
            problems.add(tree.problem(field, words.text("settings.value"), hint(setting)));
        } else if (setting.secret() && SecretRef.parse(value.get(), userHome).isEmpty()) {
            // The value itself must not be repeated on a screen or in a log.
            problems.add(tree.problem(
                    field, words.text("settings.secret"), words.text("settings.secret.hint", envName(field))));
        }
        return value.orElse("");
    }

    private String hint(Setting setting) {
        return setting.secret()
                ? words.text("settings.secret.how", setting.name())
                : words.text("settings.meaning", setting.meaning());
    }

    private static String envName(At field) {
        return field.path()
                .replaceFirst("^providers\\.", "")
                .replaceAll("([a-z])([A-Z])", "$1_$2")
                .replaceAll("[^A-Za-z0-9]+", "_")
                .toUpperCase(Locale.ROOT);
    }
}
