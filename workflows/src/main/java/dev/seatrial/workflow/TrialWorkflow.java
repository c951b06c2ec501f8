package dev.seatrial.workflow;

import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.UpdateMethod;
import io.temporal.workflow.UpdateValidatorMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** One candidate's phases, stages and gate. Runs on {@link Queues#CONTROL}. */
@WorkflowInterface
public interface TrialWorkflow {
    @WorkflowMethod
    TrialOutcome run(TrialInput input);

    /** From the lease: it is usable. Best effort; the lease's end is what counts. */
    @SignalMethod
    void leaseReady(LeaseHandle lease);

    /** From the evaluation: every candidate's single phase is over. */
    @SignalMethod
    void singlesDone();

    /** A person's answer to {@code escalate: approve}. */
    @UpdateMethod
    void approveEscalation(boolean approved, String who);

    @UpdateValidatorMethod(updateName = "approveEscalation")
    void validateApproval(boolean approved, String who);

    /** Leaves out the stage that runs now; its verdict is SKIPPED. */
    @UpdateMethod
    void skipStage(String stage);

    @UpdateValidatorMethod(updateName = "skipStage")
    void validateSkip(String stage);

    /** Ends this trial; its machine is given back, the other candidates go on. */
    @UpdateMethod
    void cancelTrial(String who);

    @UpdateValidatorMethod(updateName = "cancelTrial")
    void validateCancel(String who);
}
