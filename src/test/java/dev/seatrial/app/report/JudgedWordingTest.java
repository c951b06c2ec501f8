package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.bench.DefaultJudge;
import dev.seatrial.app.bench.Texts;
import dev.seatrial.app.bench.TrialVerdict;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Gate;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Chinese sentences are made again from what is stored; what cannot be made again stays as it was stored. */
class JudgedWordingTest {
    private static final String CHINESE = ".*\\p{IsHan}.*";
    private static final Locale ZH = Locale.SIMPLIFIED_CHINESE;

    private final DefaultJudge judge = DefaultJudge.load();
    private final Texts texts = Texts.load();
    private final Wording wording = new JudgedWording(texts, judge);
    private final LeaseRow lease =
            Sample.lease(Sample.quickstart(), "sim-steady", Phase.SINGLE, 9, 1, LeaseState.RELEASED, "9", "0.1", 1, 9);

    @Test
    void aStagesReasonIsWrittenAgain() {
        StageResult slow = judged(StageName.COMPUTE, metric("matmul_bf16_sustained", 171, Verdict.FAIL));
        assertThat(wording.reason(slow, Locale.ENGLISH))
                .isEqualTo(slow.reason())
                .contains("171");
        assertThat(wording.reason(slow, ZH)).matches(CHINESE).contains("171");
        StageResult strange = stage(StageName.COMPUTE, "decided by an older policy", List.of());
        assertThat(wording.reason(strange, ZH)).isEqualTo("decided by an older policy");
    }

    @Test
    void aTrialsReasonIsWrittenAgainFromTheStageThatDecided() {
        StageResult slow = judged(StageName.COMPUTE, metric("matmul_bf16_sustained", 171, Verdict.FAIL));
        TrialRow row = row(slow.reason(), "single/compute");
        assertThat(wording.reason(row, Optional.empty(), List.of(slow), ZH)).isEqualTo(wording.reason(slow, ZH));
    }

    @Test
    void aPassIsWrittenAgainOverAllStages() {
        List<StageResult> stages = List.of(
                judged(StageName.ENVIRONMENT),
                judged(StageName.COMPUTE, metric("matmul_bf16_sustained", 266, Verdict.PASS)),
                judged(StageName.STORAGE, metric("storage_seq_read", 3, Verdict.PASS)));
        String reason = TrialVerdict.ofResults(Sample.plan(), Sample.plan().candidate("sim-steady"), stages, judge)
                .reason();
        assertThat(wording.reason(row(reason, ""), Optional.of(Sample.plan()), stages, ZH))
                .isNotEqualTo(reason)
                .matches(CHINESE);
    }

    @Test
    void theGatesReasonsAreWrittenAgain() {
        List<StageResult> stages = List.of(
                judged(StageName.ENVIRONMENT),
                judged(StageName.COMPUTE, metric("matmul_bf16_sustained", 230, Verdict.WARN)));
        String reason = String.join(
                "; ", Gate.of(stages.stream().map(judge::summary).toList()).reasons());
        assertThat(reason).contains("matmul_bf16_sustained: WARN");
        assertThat(wording.reason(row(reason, "gate"), Optional.of(Sample.plan()), stages, ZH))
                .matches(CHINESE)
                .doesNotContain("matmul_bf16_sustained")
                .doesNotContain("could not tell");
    }

    @Test
    void wordsOfVendorsStay() {
        TrialRow row = row("QUOTA: no more than 0 GPUs in this region", "provisioning");
        assertThat(wording.reason(row, Optional.of(Sample.plan()), List.of(), ZH))
                .isEqualTo(row.reason());
        Finding unknown =
                new Finding("NEVER_HEARD_OF", Severity.WARN, Owner.VENDOR, "Their words.", Map.of(), "", "Ask them.");
        assertThat(wording.message(unknown, ZH)).isEqualTo("Their words.");
        assertThat(wording.next(unknown, ZH)).isEqualTo("Ask them.");
    }

    @Test
    void findingsAndMetricsHaveChineseWords() {
        Finding none = new Finding("NO_GPU", Severity.FAIL, Owner.VENDOR, "No GPU was found.", Map.of(), "", "");
        assertThat(wording.message(none, ZH)).matches(CHINESE);
        assertThat(wording.metric("memory_copy", ZH)).matches(CHINESE);
        assertThat(wording.metric("their_own_metric", ZH)).isEqualTo("their_own_metric");
    }

    private StageResult judged(StageName stage, Measurement... measurements) {
        StageResult made = stage(stage, "", List.of(measurements));
        return stage(stage, texts.reason(made, Locale.ENGLISH), List.of(measurements));
    }

    private StageResult stage(StageName stage, String reason, List<Measurement> measurements) {
        Verdict verdict = measurements.stream().map(Measurement::verdict).reduce(Verdict.PASS, Verdict::worse);
        return Sample.stage("sim-steady", Phase.SINGLE, 1, stage, lease, verdict, reason, measurements, List.of());
    }

    private static Measurement metric(String name, double value, Verdict verdict) {
        return Sample.metric(
                name, Optional.of("GPU-1"), value, "TFLOP/s", name.startsWith("storage") ? 0 : 265, verdict);
    }

    private static TrialRow row(String reason, String stoppedAt) {
        return Sample.trial(
                "sim-steady",
                0,
                Optional.of(Verdict.FAIL),
                reason,
                Optional.of(stoppedAt).filter(at -> !at.isEmpty()),
                Sample.TESTED);
    }
}
