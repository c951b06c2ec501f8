package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TextsTest {
    /** How the payload names a code beside its severity. */
    private static final Pattern WRITTEN =
            Pattern.compile("\"([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\",\\s*\"(?:fail|warn|info)\"");

    private final Texts texts = Texts.load();

    @Test
    void everyTextIsThereInBothLanguages() throws IOException {
        Set<String> english = keys("texts.properties");
        Set<String> chinese = keys("texts_zh.properties");

        assertThat(chinese).containsAll(english);
    }

    @Test
    void bothLanguagesFillTheSameHoles() throws IOException {
        Properties english = read("texts.properties");
        Properties chinese = read("texts_zh.properties");
        Pattern hole = Pattern.compile("\\{(\\w+)}");

        english.stringPropertyNames().stream()
                .filter(key -> key.matches("(reason|trial)\\..*"))
                .forEach(key -> assertThat(hole.matcher(chinese.getProperty(key))
                                .results()
                                .map(r -> r.group(1))
                                .collect(Collectors.toSet()))
                        .as(key)
                        .isEqualTo(hole.matcher(english.getProperty(key))
                                .results()
                                .map(r -> r.group(1))
                                .collect(Collectors.toSet())));
    }

    @Test
    void whateverTheMachineCanFindReadsChinese() throws IOException {
        Set<String> chinese = keys("texts_zh.properties");
        Set<String> codes = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("main/payload"))) {
            files.filter(f -> f.toString().endsWith(".py"))
                    .forEach(f -> WRITTEN.matcher(content(f)).results().forEach(r -> codes.add(r.group(1))));
        }

        assertThat(codes).hasSizeGreaterThan(30);
        assertThat(chinese).containsAll(codes);
    }

    @Test
    void aFindingReadsInTheUsersLanguage() {
        Finding lost = new Finding(
                "GPU_LOST",
                Severity.FAIL,
                Owner.VENDOR,
                "A GPU disappeared from the machine.",
                Map.of("gpu", "GPU-3", "at", "2026-11-30T02:00:00Z"),
                "",
                "Give this machine back.");

        assertThat(texts.finding(lost, Locale.ENGLISH).message()).isEqualTo("A GPU disappeared from the machine.");
        assertThat(texts.finding(lost, Locale.SIMPLIFIED_CHINESE).message())
                .contains("从机器上消失")
                .contains("GPU-3")
                .contains("2026-11-30T02:00:00Z");
        assertThat(texts.finding(lost, Locale.SIMPLIFIED_CHINESE).next()).contains("退还");
    }

    @Test
    void aCodeNobodyKnowsKeepsItsWords() {
        Finding odd = new Finding("ODD_THING", Severity.WARN, Owner.UNKNOWN, "odd", Map.of(), "", "look");

        assertThat(texts.finding(odd, Locale.CHINESE)).isEqualTo(new Texts.FindingText("odd", "look"));
    }

    @Test
    void holesInAMachinesWordsAreNotFilled() {
        Finding sly = new Finding("XID_79", Severity.FAIL, Owner.VENDOR, "", Map.of("gpu", "{next} $1"), "", "");

        assertThat(texts.finding(sly, Locale.CHINESE).message()).contains("{next} $1");
    }

    private static Set<String> keys(String name) throws IOException {
        return read(name).stringPropertyNames();
    }

    private static Properties read(String name) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = TextsTest.class.getResourceAsStream("/bench/" + name)) {
            properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
        }
        return properties;
    }

    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
