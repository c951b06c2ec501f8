package dev.seatrial.workflow;

import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.workflow.SignalExternalWorkflowException;
import io.temporal.workflow.Workflow;

/** Signals between workflows are best effort: the other side may have ended, and nothing here depends on the signal. */
final class Signals {
    private Signals() {}

    /** Sends a signal, whether or not we are being cancelled; that nobody is there to take it is only logged. */
    static void bestEffort(Runnable signal) {
        Workflow.newDetachedCancellationScope(() -> {
                    try {
                        signal.run();
                    } catch (SignalExternalWorkflowException | ApplicationFailure | CanceledFailure e) {
                        // A missing target arrives as any of the first two, depending on the SDK's path.
                        Workflow.getLogger(Signals.class).info("signal not taken: {}", e.getMessage());
                    }
                })
                .run();
    }
}
