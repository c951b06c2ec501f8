package dev.seatrial.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every bundle of the application says the same in both languages. */
class BundlesTest {
    private static final Path RESOURCES = Path.of("main", "resources");
    /** Findings of the machine's own program bring their English with them, and Chinese sentences may leave details to it. */
    private static final Path FINDINGS = Path.of("bench", "texts_zh.properties");

    private static final Pattern PLACE = Pattern.compile("\\{[A-Za-z0-9_.]+}");

    static Stream<Path> chinese() throws IOException {
        try (Stream<Path> files = Files.walk(RESOURCES)) {
            return files.filter(f -> f.toString().endsWith("_zh.properties")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("chinese")
    void hasTheSameKeysAndPlacesInBothLanguages(Path chinese) throws IOException {
        Properties zh = read(chinese);
        Properties en = read(english(chinese));

        assertThat(zh.stringPropertyNames()).containsAll(en.stringPropertyNames());
        if (!chinese.endsWith(FINDINGS)) {
            assertThat(en.stringPropertyNames()).containsAll(zh.stringPropertyNames());
        }
        for (String key : en.stringPropertyNames()) {
            assertThat(places(en.getProperty(key))).as(key).containsAll(places(zh.getProperty(key)));
            if (!chinese.endsWith(FINDINGS)) {
                assertThat(places(zh.getProperty(key))).as(key).containsAll(places(en.getProperty(key)));
            }
            assertThat(zh.getProperty(key).isBlank())
                    .as(key)
                    .isEqualTo(en.getProperty(key).isBlank());
        }
    }

    @Test
    void everyBundleIsThereInBothLanguages() throws IOException {
        try (Stream<Path> files = Files.walk(RESOURCES)) {
            assertThat(files.filter(f -> f.toString().endsWith(".properties"))
                            .filter(f -> !f.endsWith("application.properties"))
                            .filter(f -> !f.toString().endsWith("_zh.properties")))
                    .isNotEmpty()
                    .allSatisfy(f -> assertThat(
                                    Path.of(f.toString().replaceFirst("(_en)?\\.properties$", "_zh.properties")))
                            .exists());
        }
    }

    @Test
    void theCommandLineHasTheWordsItUses() throws IOException {
        Properties words = read(RESOURCES.resolve("cli/messages.properties"));
        Pattern use = Pattern.compile("(?:say\\(|descriptionKey = )\\s*\"([a-z0-9.-]+[a-z0-9])\"");
        Set<String> used = new TreeSet<>();
        try (Stream<Path> files = Files.list(Path.of("main/java/dev/seatrial/app/cli"))) {
            for (Path file : files.toList()) {
                Matcher found = use.matcher(Files.readString(file));
                while (found.find()) {
                    used.add(found.group(1));
                }
            }
        }

        assertThat(used).hasSizeGreaterThan(60).isSubsetOf(words.stringPropertyNames());
    }

    private static Path english(Path chinese) {
        String base = chinese.toString().replaceFirst("_zh\\.properties$", "");
        Path plain = Path.of(base + ".properties");
        return Files.exists(plain) ? plain : Path.of(base + "_en.properties");
    }

    private static Properties read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        return properties;
    }

    private static Set<String> places(String text) {
        Set<String> places = new TreeSet<>();
        Matcher found = PLACE.matcher(text);
        while (found.find()) {
            places.add(found.group());
        }
        return places;
    }
}
