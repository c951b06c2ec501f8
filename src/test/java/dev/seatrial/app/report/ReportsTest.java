package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The whole of each format against a file that a person has read. After a wanted change run with
 * {@code -Dseatrial.golden=write} and read the difference.
 */
class ReportsTest {
    @TempDir
    Path home;

    private DefaultReports reports() {
        return new DefaultReports(
                Sample.quickstart().port(),
                home.resolve("reports"),
                json -> Sample.plan(),
                () -> Sample.WORDING,
                "./seatrial");
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void filesAreAsRead(String language) throws IOException {
        Path html = reports().write(Sample.ID, Locale.forLanguageTag(language));
        assertThat(html).isEqualTo(home.resolve("reports/" + Sample.ID + "/report." + language + ".html"));
        assertGolden("report." + language + ".html", Files.readString(html));
        assertGolden("report." + language + ".md", Files.readString(html.resolveSibling("report." + language + ".md")));
        assertGolden("evaluation.json", Files.readString(html.resolveSibling("evaluation.json")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void terminalTextIsAsRead(String language) throws IOException {
        Locale locale = Locale.forLanguageTag(language);
        for (int columns : new int[] {140, 80, 60}) {
            String text = reports().text(Sample.ID, locale, columns, false);
            assertGolden("text." + language + "." + columns + ".txt", text);
            assertThat(text).doesNotContain("\u001b");
        }
    }

    @Test
    void theReportsPathIsShownOnceItIsThere() {
        DefaultReports reports = reports();
        assertThat(reports.text(Sample.ID, Locale.ENGLISH, 140, false)).contains("./seatrial report " + Sample.ID);
        Path html = reports.write(Sample.ID, Locale.ENGLISH);
        assertThat(reports.text(Sample.ID, Locale.ENGLISH, 60, false)).contains("Report: " + html + "\n");
    }

    @Test
    void reportsAreForTheirOwnerOnlyAndLeaveNothingElseBehind() throws IOException {
        DefaultReports reports = reports();
        Path html = reports.write(Sample.ID, Locale.ENGLISH);
        reports.write(Sample.ID, Locale.ENGLISH);
        assertThat(Files.getPosixFilePermissions(html)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        try (var files = Files.list(html.getParent())) {
            assertThat(files.map(f -> f.getFileName().toString()))
                    .containsExactlyInAnyOrder("report.en.html", "report.en.md", "evaluation.json");
        }
    }

    @Test
    void anUnknownEvaluationIsNamed() {
        assertThatThrownBy(() -> reports().json("nothere"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nothere");
        assertThatThrownBy(() -> reports().write("../../etc", Locale.ENGLISH))
                .isInstanceOf(IllegalArgumentException.class);
    }

    static void assertGolden(String name, String actual) throws IOException {
        if (System.getProperty("seatrial.golden", "").equals("write")) {
            Path sources = Path.of("test/resources/report");
            Files.createDirectories(sources);
            Files.writeString(sources.resolve(name), actual);
            return;
        }
        try (var in = ReportsTest.class.getResourceAsStream("/report/" + name)) {
            assertThat(in).as("golden file " + name).isNotNull();
            assertThat(actual).isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
