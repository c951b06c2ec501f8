package dev.seatrial.workflow;

import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.UpdateMethod;
import io.temporal.workflow.UpdateValidatorMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.util.List;

/** One plan over all its candidates. Runs on {@link Queues#CONTROL}. */
@WorkflowInterface
public interface EvaluationWorkflow {
    /** Ends after every trial, and so every lease, has ended. */
    @WorkflowMethod
    List<TrialOutcome> run(EvaluationInput input);

    /** From a trial: its single phase is over. */
    @SignalMethod
    void singleDone(String candidate);

    /** Raises a cap; pays for new leases only. */
    @UpdateMethod
    void raiseCap(CapRaise raise);

    @UpdateValidatorMethod(updateName = "raiseCap")
    void validateRaise(CapRaise raise);
}
