package dev.seatrial.domain.measure;

import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.util.List;
import java.util.Map;

/**
 * What a workflow needs to know of a finished stage. Small: measurements stay in the ledger.
 *
 * @param stageRun id of the run
 * @param verdict judgement
 * @param reason one sentence
 * @param metrics worst verdict of each metric measured, by name
 * @param failCodes codes of findings with severity fail
 * @param identityMismatch whether the machine is not what was offered
 */
public record StageSummary(
        String stageRun,
        Phase phase,
        int gpus,
        StageName stage,
        Verdict verdict,
        String reason,
        Map<String, Verdict> metrics,
        List<String> failCodes,
        boolean identityMismatch) {
    public StageSummary {
        metrics = Map.copyOf(metrics);
        failCodes = List.copyOf(failCodes);
    }
}
