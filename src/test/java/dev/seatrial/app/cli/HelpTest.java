package dev.seatrial.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --help} prints, in both languages. */
class HelpTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void ofTheProgram(String lang) throws IOException {
        assertThat(run(Map.of(), "--help", "--lang", lang)).isZero();

        assertThat(text(out)).isEqualTo(golden("help." + lang + ".txt"));
        assertThat(text(err)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void ofACommand(String lang) throws IOException {
        assertThat(run(Map.of(), "evaluate", "--help", "--lang", lang)).isZero();

        assertThat(text(out)).isEqualTo(golden("help-evaluate." + lang + ".txt"));
    }

    @ParameterizedTest
    @CsvSource({
        "LANG, , Commands:",
        "LANG, C.UTF-8, Commands:",
        "LANG, en_GB.UTF-8, Commands:",
        "LANG, zh_CN.UTF-8, 命令：",
        "LC_ALL, zh_TW.UTF-8, 命令：",
        "SEATRIAL_LANG, zh, 命令："
    })
    void isInTheLocalesLanguage(String variable, String value, String word) {
        run(value == null ? Map.of() : Map.of(variable, value), "--help");

        assertThat(text(out)).contains(word);
    }

    @Test
    void whatIsAskedForWinsOverTheLocale() {
        run(Map.of("LC_ALL", "zh_CN.UTF-8"), "--help", "--lang=en");

        assertThat(text(out)).contains("Commands:");
    }

    @Test
    void aLanguageThatThereIsNot() {
        assertThat(run(Map.of(), "evaluations", "--lang", "fr")).isEqualTo(ExitCode.USAGE);

        assertThat(text(err)).contains("\"fr\"");
    }

    private int run(Map<String, String> environment, String... args) {
        return Seatrial.execute(environment, new PrintStream(out), new PrintStream(err), args);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = HelpTest.class.getResourceAsStream("/cli/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
