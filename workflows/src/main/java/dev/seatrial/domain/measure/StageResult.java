package dev.seatrial.domain.measure;

import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A finished stage, judged.
 *
 * @param stageRun id of the run
 * @param phase phase
 * @param gpus GPUs of the instance in this rung
 * @param stage stage
 * @param lease lease it ran on
 * @param attempt 1 for the first run on this lease, 2 for its repeat
 * @param verdict worst metric or finding; UNKNOWN when nothing could be measured
 * @param reason one sentence: what decided it, with numbers
 * @param startedAt when it started
 * @param endedAt when it ended
 * @param measurements all measurements
 * @param findings all findings
 */
public record StageResult(
        String stageRun,
        Phase phase,
        int gpus,
        StageName stage,
        String lease,
        int attempt,
        Verdict verdict,
        String reason,
        Instant startedAt,
        Optional<Instant> endedAt,
        List<Measurement> measurements,
        List<Finding> findings) {
    public StageResult {
        measurements = List.copyOf(measurements);
        findings = List.copyOf(findings);
    }
}
