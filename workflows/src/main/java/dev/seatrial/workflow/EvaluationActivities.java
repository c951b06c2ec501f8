package dev.seatrial.workflow;

import io.temporal.activity.ActivityInterface;
import java.util.List;

/** Keeps the evaluation's row. Runs on {@link Queues#CONTROL}. */
@ActivityInterface(namePrefix = "Evaluation")
public interface EvaluationActivities {
    /** Writes status and end from the trials' outcomes and makes the report. */
    void conclude(String evaluation, List<TrialOutcome> outcomes, String failure);

    /** Writes a higher cap; it pays for new leases only. One that the ledger does not take changes nothing. */
    void raiseCap(String evaluation, CapRaise raise);

    /** Shows "awaiting approval" while any trial's row says so. */
    void awaitingApproval(String evaluation);
}
