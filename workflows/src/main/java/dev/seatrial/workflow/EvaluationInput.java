package dev.seatrial.workflow;

import dev.seatrial.domain.plan.Plan;
import java.time.Instant;
import java.util.List;

/**
 * @param evaluation evaluation id; its row is in the ledger
 * @param plan the plan
 * @param notAfter when it must end
 * @param trials one per candidate that is tried
 */
public record EvaluationInput(String evaluation, Plan plan, Instant notAfter, List<TrialInput> trials) {
    public EvaluationInput {
        trials = List.copyOf(trials);
    }
}
