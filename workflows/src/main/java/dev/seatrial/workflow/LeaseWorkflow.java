package dev.seatrial.workflow;

import io.temporal.workflow.QueryMethod;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** Owns one instance: reserve, create or adopt, await ready, hold, release, confirm. Runs on {@link Queues#RELEASE}. */
@WorkflowInterface
public interface LeaseWorkflow {
    /**
     * Returns when the instance is proven gone or never was. Asked to cancel it does the same, but then closes as
     * cancelled whatever it returns.
     */
    @WorkflowMethod
    LeaseResult run(LeaseRequest request);

    /** Ends the hold. May come at any time, also before it is ready. */
    @SignalMethod
    void release(String reason);

    /** A word for screens: reserving, creating, resolving, provisioning, holding, releasing, done. */
    @QueryMethod
    String phase();
}
