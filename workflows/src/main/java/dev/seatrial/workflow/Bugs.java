package dev.seatrial.workflow;

import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.worker.NonDeterministicException;
import java.util.function.Supplier;

/**
 * Makes a bug in a workflow's main method fail the workflow, so that {@code finally} blocks run and money stops. Without
 * it the workflow task would be retried for ever while the instance bills. A replay mismatch stays out: a bad deploy
 * should block and be noticed, the sweep owns the deadline.
 */
final class Bugs {
    /** Failure type of a bug of ours. */
    static final String TYPE = "Bug";

    private Bugs() {}

    static <T> T guard(Supplier<T> body) {
        try {
            return body.get();
        } catch (TemporalFailure | NonDeterministicException e) {
            throw e;
        } catch (RuntimeException e) {
            throw ApplicationFailure.newNonRetryableFailureWithCause("a bug in the workflow: " + e, TYPE, e);
        }
    }
}
