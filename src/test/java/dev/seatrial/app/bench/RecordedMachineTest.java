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

/** Events of healthy machines with one and two H200, as the payload wrote them there. */
class RecordedMachineTest {
    private static final Path RECORDED = Path.of("test/payload/fixtures");

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
        List<String> lines = Files.readAllLines(RECORDED.resolve("h200").resolve(stage + ".jsonl"));
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

    @ParameterizedTest
    @CsvSource({"environment", "compute", "interconnect", "stability"})
    void twoHealthyH200PassTogether(String stage) throws IOException {
        StageResult result = judge("h200x2", stage, "H200-SXM-141G", 2);

        assertThat(result.verdict()).as(result.reason()).isEqualTo(Verdict.PASS);
        assertThat(result.measurements()).noneMatch(m -> m.verdict() == Verdict.FAIL || m.verdict() == Verdict.WARN);
        assertThat(result.findings()).noneMatch(f -> List.of("GPU_SPREAD", "P2P_UNUSED", "NVLS_OFF", "SLOW_RANK")
                .contains(f.code()));
    }

    @ParameterizedTest
    @CsvSource({"interconnect-extra-work, 1", "interconnect-neighbour, 0"})
    void theRankThatAllWaitForIsNamed(String stage, String rank) throws IOException {
        StageResult result = judge("h200x2", stage, "H200-SXM-141G", 2);

        assertThat(result.verdict()).isNotEqualTo(Verdict.PASS);
        assertThat(result.findings())
                .filteredOn(f -> f.code().equals("SLOW_RANK"))
                .singleElement()
                .satisfies(f -> assertThat(f.params())
                        .containsEntry("rank", rank)
                        .containsEntry("gpu", "GPU-00000000-0000-0000-0000-00000000000" + rank));
    }

    private static StageResult judge(String stage, String gpu) throws IOException {
        return judge("h200", stage, gpu, 1);
    }

    private static StageResult judge(String machine, String stage, String gpu, int count) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<StoredEvent> events = new ArrayList<>();
        for (String line : Files.readAllLines(RECORDED.resolve(machine).resolve(stage + ".jsonl"))) {
            events.add(new StoredEvent(json.readTree(line).path("seq").asLong(), line));
        }
        String name = stage.startsWith("interconnect") ? "interconnect" : stage;
        Machine judged = Machine.stage(StageName.of(name), gpu, count);
        return Machine.JUDGE.judge(judged.evidence(events));
    }
}
