package dev.seatrial.workflow;

import io.temporal.activity.ActivityInterface;
import java.util.List;

/** Keeps the evaluation's row. Runs on {@link Queues#CONTROL}. */
@ActivityInterface(namePrefix = "Evaluation")
public interface EvaluationActivities {
    /** Writes status and end from the trials' outcomes and makes the report. */
    void conclude(String evaluation, List<TrialOutcome> outcomes, String failure);

    /** Shows "awaiting approval" while any trial's row says so. */
    void awaitingApproval(String evaluation);
}
