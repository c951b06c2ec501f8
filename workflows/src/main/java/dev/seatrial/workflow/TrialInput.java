package dev.seatrial.workflow;

import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.plan.Plan;
import java.time.Instant;
import java.util.List;

/**
 * One candidate's trial.
 *
 * @param evaluation evaluation id
 * @param plan the plan
 * @param candidate which candidate
 * @param notAfter when the evaluation must end
 * @param finished stages already finished by an interrupted run of the same evaluation, latest of each; not run again
 * @param singleOrdinal last ordinal used in the single phase, 0 for a fresh evaluation
 * @param multiOrdinal last ordinal used in the multi phase
 */
public record TrialInput(
        String evaluation,
        Plan plan,
        String candidate,
        Instant notAfter,
        List<StageSummary> finished,
        int singleOrdinal,
        int multiOrdinal) {
    public TrialInput {
        finished = List.copyOf(finished);
    }
}
