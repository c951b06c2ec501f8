package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Gate;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefaultJudgeTest {
    private static final Texts TEXTS = Texts.load();

    @Test
    void saysInOneSentenceWhatDecided() {
        StageResult slow = Machine.compute()
                .value("matmul_bf16_sustained", 171)
                .value("h2d_pinned", 6.4)
                .judge();

        assertThat(slow.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(slow.reason()).isEqualTo("BF16 sustained 171 of 265 TFLOP/s = 65 %, below 80 %");
        assertThat(TEXTS.reason(slow, Locale.SIMPLIFIED_CHINESE))
                .isEqualTo("BF16 持续算力 171 TFLOP/s，参考值 265 TFLOP/s，达到 65 %，低于 80 %");
        assertThat(TEXTS.reason(slow, Locale.FRENCH)).isEqualTo(slow.reason());
    }

    @ParameterizedTest
    @CsvSource({"268, PASS", "243.8, PASS", "243.7, WARN", "212, WARN", "211.9, FAIL"})
    void barsAreWhereThePolicySaysTheyAre(double figure, Verdict verdict) {
        Machine machine = Machine.compute().change("matmul_bf16_sustained", e -> {
            e.put("value", figure);
            e.put("n", 1);
        });

        assertThat(machine.judge().verdict()).isEqualTo(verdict);
    }

    @Test
    void aShareNeverContradictsTheBarBesideIt() {
        StageResult result = Machine.compute()
                .change("matmul_bf16_sustained", e -> {
                    e.put("value", 211.8);
                    e.put("n", 1);
                })
                .judge();

        assertThat(result.reason()).isEqualTo("BF16 sustained 212 of 265 TFLOP/s = 79.9 %, below 80 %");
    }

    @Test
    void aFigureCarriesItsReferenceAndRatio() {
        Measurement bf16 = Machine.compute().judge().measurements().get(0);

        assertThat(bf16.reference()).hasValueSatisfying(r -> {
            assertThat(r.value()).isEqualTo(265);
            assertThat(r.quality()).isEqualTo("measured");
            assertThat(r.tolerance()).isEqualTo(0.08);
            assertThat(r.source()).contains("SuperBench");
        });
        assertThat(bf16.ratio()).hasValueSatisfying(r -> assertThat(r).isBetween(1.01, 1.02));
    }

    @Test
    void aCalculatedReferenceWarnsAtMost() {
        StageResult result = Machine.compute("L20", 1, 40, 720, 25).judge();

        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
        assertThat(result.reason()).contains("of a calculated reference");
    }

    @Test
    void anUnknownCardIsNeverAPass() {
        StageResult result = Machine.compute("Z9000", 1, 900, 5000, 50).judge();

        assertThat(result.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(result.reason()).contains("no reference").contains("Z9000");
    }

    @Test
    void theGateOpensForAHealthyMachineOnly() {
        StageSummary environment = summary(Machine.environment("A100-SXM4-80G", 1));
        StageSummary storage = summary(Machine.storage());

        assertThat(Gate.of(List.of(environment, summary(Machine.compute()), storage))
                        .open())
                .isTrue();
        assertThat(Gate.of(List.of(environment, summary(Machine.compute().value("h2d_pinned", 12.9)), storage)))
                .satisfies(g -> assertThat(g.open()).isFalse());
        assertThat(Gate.of(List.of(environment, summary(Machine.compute().remove("memory_copy")), storage)))
                .satisfies(g -> assertThat(g.open()).isFalse());
        assertThat(Gate.of(List.of(
                        summary(Machine.environment("RTX-4090", 1).set("memoryMiB", 49140)),
                        summary(Machine.compute("RTX-4090", 1, 165, 930, 25)))))
                .satisfies(g -> assertThat(g.open()).isFalse());
        assertThat(Gate.of(List.of(
                                summary(Machine.environment("A100-SXM4-80G", 1).finding("SHM_SMALL", "warn", "image")),
                                summary(Machine.compute()),
                                storage))
                        .open())
                .isTrue();
    }

    @Test
    void theGateTakesFp16OfCardsOlderThanBf16() {
        StageSummary compute = summary(Machine.compute("V100-SXM2-32G", 1, 10, 790, 12.4)
                .remove("matmul_bf16_sustained")
                .measure("matmul_fp16_sustained", 96, "TFLOP/s", "matmul/1", 0));

        assertThat(Gate.of(List.of(summary(Machine.environment("V100-SXM2-32G", 1)), compute))
                        .open())
                .isTrue();
    }

    @Test
    void aMachinesWordsStayOnOneLine() {
        StageResult result = Machine.compute()
                .with(m -> m.finding("WRONG_RESULT", "fail", "vendor"))
                .with(m -> m.events.get(m.events.size() - 1).put("message", "first\n\u001b[31msecond\u2028third"))
                .judge();

        assertThat(result.reason()).isEqualTo("first [31msecond third");
    }

    @Test
    void withoutAGpuTheHostIsJudgedAlone() {
        StageResult compute = Machine.stage(StageName.COMPUTE, "none", 0)
                .measure("host_cpu_single_core", 380, "Mop/s", "host-core/1", -1)
                .judge();

        assertThat(compute.verdict()).isEqualTo(Verdict.PASS);
        assertThat(compute.reason()).contains("380").contains("no reference");
        assertThat(compute.measurements()).allMatch(m -> m.verdict() == Verdict.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({"3100, PASS", "2900, WARN", "2200, FAIL"})
    void theTeamsOwnExpectationIsABound(double tokens, Verdict verdict) {
        Machine machine = task(tokens);

        StageResult result = machine.judge();

        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.reason()).contains("tokens_per_s").contains("at least 3000");
    }

    @Test
    void anExpectationWithoutAFigureIsUnknown() {
        assertThat(task(3100).remove("tokens_per_s").judge().verdict()).isEqualTo(Verdict.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({"260, PASS", "290, WARN", "400, FAIL"})
    void thePlansOwnBoundDecidesInsteadOfTheReference(double bound, Verdict verdict) {
        StageResult result = Machine.compute()
                .with(m -> m.expect.put("matmul_bf16_sustained", atLeast(bound)))
                .judge();

        assertThat(result.verdict()).as(result.reason()).isEqualTo(verdict);
        assertThat(result.measurements().get(0).reference().orElseThrow().source())
                .isEqualTo("the plan");
    }

    @Test
    void aBoundOfAnUnknownCardIsHeldButItsIdentityStaysOpen() {
        Machine compute = Machine.compute("Z9000", 1, 900, 5000, 50);
        for (String name : List.of("matmul_bf16_sustained", "memory_copy", "h2d_pinned", "d2h_pinned")) {
            compute.expect.put(name, atLeast(40));
        }
        Machine environment = Machine.stage(StageName.ENVIRONMENT, "Z9000", 1);
        environment.gpus.add(Machine.card("A100-SXM4-80G", 0));

        assertThat(compute.judge().verdict()).isEqualTo(Verdict.PASS);
        assertThat(environment.judge().verdict()).isEqualTo(Verdict.UNKNOWN);
    }

    @Test
    void aBoundIsNoWayRoundAnIllusionAndOneWithoutAFigureIsUnknown() {
        Machine cached = Machine.storage().with(m -> m.expect.put("storage_seq_read", atLeast(1)));
        cached.events.forEach(e -> e.computeIfPresent("confidence", (k, word) -> "low"));
        Machine untold = Machine.compute().with(m -> m.expect.put("train_step_small", atLeast(1)));

        assertThat(cached.judge().verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(untold.judge().verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(untold.judge().findings()).anyMatch(f -> f.code().equals("EXPECTATION_UNTESTED"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"environment", "compute", "storage", "network", "interconnect", "stability", "task"})
    void aStageInWhichNothingCouldBeMeasuredIsUnknown(String stage) {
        StageResult result = Machine.stage(StageName.of(stage), "A100-SXM4-80G", stage.equals("interconnect") ? 8 : 1)
                .judge();

        assertThat(result.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(result.findings()).anyMatch(f -> f.code().equals("NOTHING_MEASURED"));
    }

    private static TaskSpec.Expectation atLeast(double bound) {
        return new TaskSpec.Expectation(Optional.of(BigDecimal.valueOf(bound)), Optional.empty());
    }

    @Test
    void eventsMayComeTwiceAndInAnyOrder() {
        Machine machine = Machine.compute();
        List<StoredEvent> lines = new ArrayList<>(machine.lines());
        lines.addAll(machine.lines());
        java.util.Collections.shuffle(lines, new Random(1));

        StageResult result = Machine.JUDGE.judge(machine.evidence(lines));

        assertThat(result.measurements()).hasSize(machine.lines().size());
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noBytesOfAMachineEverThrow(long seed) {
        Random random = new Random(seed);
        List<Machine> machines = List.of(
                Machine.environment("A100-SXM4-80G", 8),
                Machine.compute("A100-SXM4-80G", 8, 268, 1700, 25.9),
                Machine.storage().promise("disk_read", "3GB/s").promise("cpu", "many"),
                Machine.allReduce("A100-SXM4-80G", 8, 232).finding("XID_99999999999", "fail", "vendor"),
                Machine.soak("A100-SXM4-80G"),
                task(3000));
        for (int round = 0; round < 400; round++) {
            Machine machine = machines.get(random.nextInt(machines.size()));
            List<StoredEvent> lines = new ArrayList<>();
            for (StoredEvent line : machine.lines()) {
                lines.add(new StoredEvent(
                        line.seq(), random.nextInt(3) == 0 ? Mutation.of(line.json(), random) : line.json()));
            }
            assertThatCode(() -> {
                        StageResult result = Machine.JUDGE.judge(machine.evidence(lines));
                        Machine.JUDGE.summary(result);
                        TEXTS.reason(result, Locale.CHINESE);
                        result.findings().forEach(f -> TEXTS.finding(f, Locale.CHINESE));
                        assertThat(result.reason()).isNotBlank();
                    })
                    .as("seed %d round %d: %s", seed, round, lines)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void hostileValuesAreNoEvidence() {
        Machine machine = Machine.compute();
        List<StoredEvent> lines = new ArrayList<>(machine.lines());
        String deep = "[".repeat(50_000);
        for (String json : List.of(
                "",
                "null",
                "[]",
                "{\"type\":\"measurement\",\"name\":\"memory_copy\",\"value\":1e999}",
                "{\"type\":\"measurement\",\"name\":\"memory_copy\",\"value\":\"NaN\"}",
                "{\"type\":\"fact\",\"name\":\"gpus\",\"value\":" + deep,
                "{\"type\":\"finding\",\"code\":\"rm -rf\",\"severity\":\"fail\"}",
                "{\"type\":{},\"name\":[]}",
                "\u0000\uFFFF")) {
            lines.add(new StoredEvent(lines.size() + 1, json));
        }

        StageResult result = Machine.JUDGE.judge(machine.evidence(lines));

        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(result.measurements()).hasSize(machine.lines().size());
    }

    @Test
    void aTrialFailsWithItsFirstFailedStage() {
        TrialVerdict verdict = trial(
                Machine.environment("A100-SXM4-80G", 1),
                Machine.compute().value("matmul_bf16_sustained", 171),
                Machine.storage().value("storage_seq_read", 0.18));

        assertThat(verdict.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(verdict.reason()).isEqualTo("BF16 sustained 171 of 265 TFLOP/s = 65 %, below 80 %");
        assertThat(verdict.coverage().environment()).isEqualTo(CoverageLevel.EXCLUDED);
        assertThat(verdict.coverage().performance()).isEqualTo(CoverageLevel.FOUND);
        assertThat(verdict.coverage().stability()).isEqualTo(CoverageLevel.NOT_TESTED);
    }

    @Test
    void aTrialPassesWithItsHeadlineFigure() {
        TrialVerdict verdict = trial(Machine.environment("A100-SXM4-80G", 1), Machine.compute(), Machine.storage());

        assertThat(verdict.verdict()).isEqualTo(Verdict.PASS);
        assertThat(verdict.reason()).isEqualTo("BF16 sustained 268 of 265 TFLOP/s = 101 %; 3 stages passed");
        assertThat(verdict.coverage().performance()).isEqualTo(CoverageLevel.EXCLUDED);
    }

    @Test
    void aPlannedStageThatDidNotRunLeavesTheTrialOpen() {
        assertThat(trial(Machine.environment("A100-SXM4-80G", 1), Machine.compute())
                        .verdict())
                .isEqualTo(Verdict.UNKNOWN);
        assertThat(trial().verdict()).isEqualTo(Verdict.UNKNOWN);
    }

    @Test
    void aTrialsReasonReadsChinese() {
        List<StageResult> results = Stream.of(
                        Machine.environment("A100-SXM4-80G", 1), Machine.compute(), Machine.storage())
                .map(Machine::judge)
                .toList();
        Machine any = Machine.compute();
        TrialVerdict verdict = TrialVerdict.ofResults(any.plan(), any.candidate(), results, Machine.JUDGE);

        assertThat(TEXTS.reason(verdict, results, Locale.CHINESE))
                .isEqualTo("BF16 持续算力 268 TFLOP/s，参考值 265 TFLOP/s，达到 101 %；共 3 个测项通过");
    }

    @Test
    void promisesBecomeLinesOfATable() {
        StageResult result = Machine.storage().promise("disk_read", "3GB/s").judge();

        assertThat(result.findings()).anySatisfy(f -> {
            assertThat(f.code()).isEqualTo("PROMISE_KEPT");
            assertThat(f.params())
                    .containsEntry("promised", "3 GB/s")
                    .containsEntry("measured", "3.2 GB/s")
                    .containsEntry("deviation", "+7 %");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "3GB/s, 3e9",
        "500 MB/s, 5e8",
        "2Gbps, 2.5e8",
        "100 Mbit/s, 1.25e7",
        "1GiB/s, 1073741824",
        "1.5 GB/s, 1.5e9"
    })
    void readsRatesAsPeopleWriteThem(String text, double bytes) {
        assertThat(Quantity.rate(text)).hasValue(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fast", "3 apples/s", "-3GB/s", "GB/s"})
    void whatIsNoRateIsAbsent(String text) {
        assertThat(Quantity.rate(text)).isEmpty();
    }

    private static StageSummary summary(Machine machine) {
        return Machine.JUDGE.summary(machine.judge());
    }

    private static TrialVerdict trial(Machine... machines) {
        Machine any = Machine.compute();
        return TrialVerdict.ofResults(
                any.plan(),
                any.candidate(),
                Stream.of(machines).map(Machine::judge).toList(),
                Machine.JUDGE);
    }

    private static Machine task(double tokens) {
        Machine machine = Machine.stage(StageName.TASK, "A100-SXM4-80G", 1)
                .measure("task_seconds", 83, "s", "task/1", -1)
                .measure("tokens_per_s", tokens, "tok/s", "task/1", -1);
        machine.task = Optional.of(new TaskSpec(
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                "python train.py",
                Duration.ofMinutes(10),
                Map.of("tokens_per_s", new TaskSpec.Metric("tok/s=([0-9.]+)", "tok/s", true)),
                Map.of(
                        "tokens_per_s",
                        new TaskSpec.Expectation(Optional.of(new BigDecimal("3000")), Optional.empty()))));
        return machine;
    }
}
