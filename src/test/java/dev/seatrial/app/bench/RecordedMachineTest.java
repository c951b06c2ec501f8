package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.domain.ledger.StoredEvent;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events of a healthy H200, as the payload wrote them on the machine. */
class RecordedMachineTest {
    private static final Path RECORDED = Path.of("test/payload/fixtures/h200");

    @ParameterizedTest
    @CsvSource({"environment, PASS", "compute, PASS", "interconnect, SKIPPED", "stability, PASS", "task, PASS"})
    void aHealthyH200PassesAsItself(String stage, Verdict verdict) throws IOException {
        StageResult result = judge(stage, "H200-SXM-141G");

        assertThat(result.verdict()).as(result.reason()).isEqualTo(verdict);
        assertThat(result.measurements()).noneMatch(m -> m.verdict() == Verdict.FAIL || m.verdict() == Verdict.WARN);
    }

    @Test
    void everyComputeFigureOfTheH200HasAReference() throws IOException {
        assertThat(judge("compute", "H200-SXM-141G").measurements())
                .filteredOn(m -> !m.name().startsWith("host_cpu"))
                .allMatch(m -> m.verdict() == Verdict.PASS);
    }

    @Test
    void theSameMachineSoldAsAnotherCardFails() throws IOException {
        StageResult result = judge("environment", "B200-SXM-180G");

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.reason()).contains("H200-SXM-141G").contains("B200-SXM-180G");
    }

    @ParameterizedTest
    @ValueSource(strings = {"environment", "compute", "interconnect", "stability", "task"})
    void noChangeOfARecordedLineThrows(String stage) throws IOException {
        Texts texts = Texts.load();
        List<String> lines = Files.readAllLines(RECORDED.resolve(stage + ".jsonl"));
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<StoredEvent> events = new ArrayList<>();
            for (String line : lines) {
                events.add(
                        new StoredEvent(events.size() + 1, random.nextInt(4) == 0 ? Mutation.of(line, random) : line));
            }
            Machine machine = Machine.stage(StageName.of(stage), "H200-SXM-141G", 1)
                    .promise("cpu", "32")
                    .promise("memory", "1T");
            assertThatCode(() -> {
                        StageResult result = Machine.JUDGE.judge(machine.evidence(events));
                        Machine.JUDGE.summary(result);
                        texts.reason(result, Locale.CHINESE);
                        result.findings().forEach(f -> texts.finding(f, Locale.CHINESE));
                    })
                    .as("seed %d of %s", seed, stage)
                    .doesNotThrowAnyException();
        }
    }

    private static StageResult judge(String stage, String gpu) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<StoredEvent> events = new ArrayList<>();
        for (String line : Files.readAllLines(RECORDED.resolve(stage + ".jsonl"))) {
            events.add(new StoredEvent(json.readTree(line).path("seq").asLong(), line));
        }
        Machine machine = Machine.stage(StageName.of(stage), gpu, 1);
        return Machine.JUDGE.judge(machine.evidence(events));
    }
}
