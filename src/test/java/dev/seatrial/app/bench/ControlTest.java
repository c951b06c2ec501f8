package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A failed figure is repeated, and what the repeats say is told: noise, a bad machine, or the offer. */
class ControlTest {
    private static final String SLOW = "BF16 sustained 171 of 265 TFLOP/s = 65 %, below 80 %";
    private final Texts texts = Texts.load();

    @Test
    void onceIsNoise() {
        TrialVerdict verdict = trial(slow("lease-1", 1), good("lease-1", 2));

        assertThat(verdict.verdict()).isEqualTo(Verdict.PASS);
        assertThat(verdict.reason())
                .isEqualTo("BF16 sustained 268 of 265 TFLOP/s = 101 %; 3 stages passed;"
                        + " compute failed once and passed when repeated on the same machine: noise");
    }

    @Test
    void twiceOnTheOnlyMachineIsAFailureThatSaysSo() {
        TrialVerdict verdict = trial(slow("lease-1", 1), slow("lease-1", 2));

        assertThat(verdict.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(verdict.reason())
                .isEqualTo(
                        SLOW + "; compute failed again when repeated on the same machine; no other machine was tried");
    }

    @Test
    void aMachineThatFailedWhereAnotherDoesNotIsNeverForgotten() {
        TrialVerdict verdict = trial(slow("lease-1", 1), slow("lease-1", 2), good("lease-2", 1));

        assertThat(verdict.verdict()).isEqualTo(Verdict.WARN);
        assertThat(verdict.reason())
                .isEqualTo(SLOW
                        + "; compute failed on one machine and not on another: a bad machine, not the whole offer");
        assertThat(verdict.coverage().performance()).isEqualTo(CoverageLevel.FOUND);
    }

    @Test
    void twoMachinesAreTheOffer() {
        TrialVerdict verdict = trial(slow("lease-1", 1), slow("lease-1", 2), slow("lease-2", 1), slow("lease-2", 2));

        assertThat(verdict.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(verdict.reason()).isEqualTo(SLOW + "; compute failed on 2 machines: the offer, not one bad machine");
    }

    @Test
    void whatCouldNotTellIsNoControl() {
        TrialVerdict verdict = trial(slow("lease-1", 1), good("lease-1", 2).end("lost"));

        assertThat(verdict.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(verdict.controls()).isEmpty();
    }

    @Test
    void readsChinese() {
        List<StageResult> results = results(slow("lease-1", 1), slow("lease-1", 2), good("lease-2", 1));
        Machine any = Machine.compute();

        String reason = texts.reason(
                TrialVerdict.ofResults(any.plan(), any.candidate(), results, Machine.JUDGE), results, Locale.CHINESE);

        assertThat(reason).startsWith("BF16 持续算力 171").endsWith("是这台机器有问题，不是整个报价");
    }

    private static TrialVerdict trial(Machine... computes) {
        Machine any = Machine.compute();
        return TrialVerdict.ofResults(any.plan(), any.candidate(), results(computes), Machine.JUDGE);
    }

    private static List<StageResult> results(Machine... computes) {
        return Stream.concat(Stream.of(Machine.environment("A100-SXM4-80G", 1), Machine.storage()), Stream.of(computes))
                .map(Machine::judge)
                .toList();
    }

    private static Machine slow(String lease, int attempt) {
        return good(lease, attempt).value("matmul_bf16_sustained", 171);
    }

    private static Machine good(String lease, int attempt) {
        return Machine.compute().on(lease, attempt);
    }
}
