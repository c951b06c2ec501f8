package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The detection matrix on the real way: what a machine's tools print goes through the payload's parsers and stages, its
 * events through the reading here into the judge. The machines and what must come of them are in {@code matrix.py}.
 */
class PlayedMachinesTest {
    private static final Path SUITE = Path.of("test/payload");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Texts TEXTS = Texts.load();

    @TempDir
    static Path directory;

    @TestFactory
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    Stream<DynamicTest> everyMachineIsToldApart() throws IOException, InterruptedException {
        List<JsonNode> rows = play();
        long faults = rows.stream().filter(r -> !r.path("healthy").asBoolean()).count();
        System.out.printf("detection matrix: %d faults, %d healthy machines%n", faults, rows.size() - faults);
        assertThat(faults).isGreaterThanOrEqualTo(100);
        assertThat(rows.size() - faults).isGreaterThanOrEqualTo(50);
        assertThat(rows.stream().map(r -> r.path("name").asText()).collect(Collectors.toSet()))
                .hasSameSizeAs(rows);
        DynamicTest total = DynamicTest.dynamicTest("no change of any line throws", () -> mutate(rows));
        return Stream.concat(
                Stream.of(total),
                rows.stream()
                        .map(row -> DynamicTest.dynamicTest(
                                (row.path("healthy").asBoolean() ? "healthy: " : "fault: ")
                                        + row.path("name").asText(),
                                () -> check(row))));
    }

    private static void mutate(List<JsonNode> rows) {
        for (JsonNode row : rows) {
            for (int seed = 0; seed < 12; seed++) {
                Random random = new Random(seed);
                List<StoredEvent> events = events(row).stream()
                        .map(e -> new StoredEvent(
                                e.seq(), random.nextInt(4) == 0 ? Mutation.of(e.json(), random) : e.json()))
                        .toList();
                assertThatCode(() -> {
                            StageResult result =
                                    Machine.JUDGE.judge(machine(row).evidence(events));
                            Machine.JUDGE.summary(result);
                            TEXTS.reason(result, Locale.CHINESE);
                        })
                        .as("seed %d of %s", seed, row.path("name"))
                        .doesNotThrowAnyException();
            }
        }
    }

    private static void check(JsonNode row) {
        StageResult result = judge(row);
        Verdict wanted = Verdict.valueOf(row.path("verdict").asText());

        assertThat(result.verdict())
                .as(
                        "%s %s %s",
                        result.reason(),
                        codes(result),
                        result.measurements().stream()
                                .filter(m -> m.verdict() != Verdict.PASS)
                                .map(m -> m.name() + " " + m.value() + " " + m.verdict())
                                .distinct()
                                .toList())
                .isEqualTo(wanted);
        for (Locale locale : List.of(Locale.ENGLISH, Locale.CHINESE)) {
            assertThat(TEXTS.reason(result, locale)).isNotBlank().doesNotContain("{", "null", "NaN");
        }
        if (wanted == Verdict.PASS) {
            assertThat(result.reason()).doesNotContain("?");
            return;
        }
        assertThat(TEXTS.reason(result, Locale.CHINESE)).containsPattern("\\p{IsHan}");
        String code = row.path("code").asText();
        if (row.path("owner").asText().isEmpty()) {
            assertThat(result.measurements())
                    .filteredOn(m -> m.name().equals(code))
                    .anySatisfy(m -> assertThat(m.verdict()).isEqualTo(wanted));
        } else {
            assertThat(result.findings())
                    .filteredOn(f -> f.code().equals(code))
                    .as("%s", codes(result))
                    .isNotEmpty()
                    .extracting(Finding::owner)
                    .contains(Owner.of(row.path("owner").asText()));
        }
    }

    private static List<String> codes(StageResult result) {
        return result.findings().stream()
                .map(f -> f.code() + "/" + f.severity().word() + "/" + f.owner().word())
                .distinct()
                .toList();
    }

    private static StageResult judge(JsonNode row) {
        return Machine.JUDGE.judge(machine(row).evidence(events(row)));
    }

    private static Machine machine(JsonNode row) {
        Machine machine = Machine.stage(
                StageName.of(row.path("stage").asText()),
                row.path("gpu").asText(),
                row.path("count").asInt());
        row.path("promised")
                .properties()
                .forEach(p -> machine.promise(p.getKey(), p.getValue().asText()));
        return machine;
    }

    private static List<StoredEvent> events(JsonNode row) {
        List<StoredEvent> events = new ArrayList<>();
        row.path("events").forEach(e -> events.add(new StoredEvent(e.path("seq").asLong(), e.toString())));
        return events;
    }

    private static List<JsonNode> play() throws IOException, InterruptedException {
        assumeTrue(python(), "SKIPPED: the played machines need python3 on the path");
        Path rows = directory.resolve("matrix.jsonl");
        Path said = directory.resolve("matrix.txt");
        ProcessBuilder python = new ProcessBuilder("python3", "matrix.py", rows.toString())
                .directory(SUITE.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        python.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process p = python.start();
        boolean ended = p.waitFor(4, TimeUnit.MINUTES);
        if (!ended) {
            p.descendants().forEach(ProcessHandle::destroyForcibly);
            p.destroyForcibly();
        }
        assertThat(ended && p.exitValue() == 0).as(Files.readString(said)).isTrue();
        List<JsonNode> read = new ArrayList<>();
        for (String line : Files.readAllLines(rows)) {
            read.add(JSON.readTree(line));
        }
        return read;
    }

    private static boolean python() {
        try {
            Process p = new ProcessBuilder("python3", "--version")
                    .redirectErrorStream(true)
                    .start();
            return p.waitFor(30, TimeUnit.SECONDS) && p.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
