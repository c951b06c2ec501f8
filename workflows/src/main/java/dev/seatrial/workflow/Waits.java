package dev.seatrial.workflow;

import io.temporal.activity.ActivityCancellationType;
import io.temporal.activity.ActivityOptions;
import io.temporal.common.RetryOptions;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.TimeoutFailure;
import java.time.Duration;

/** Activity options and the one mapping of how a wait ended. */
final class Waits {
    private Waits() {}

    /** How a wait that did not succeed ended. */
    enum Ended {
        /** Our own limit was reached while the thing was not so yet. Never the stage's failure. */
        LIMIT,
        /** Our own limit was reached while nothing could be seen. */
        UNREACHABLE,
        CANCELLED,
        /** The activity said never. */
        FAILED
    }

    /** Options for an activity that waits by failing; {@code limit} zero means for ever. */
    static ActivityOptions poll(String queue, Duration interval, Duration limit) {
        ActivityOptions.Builder b = ActivityOptions.newBuilder()
                .setTaskQueue(queue)
                .setStartToCloseTimeout(Duration.ofMinutes(3))
                .setCancellationType(ActivityCancellationType.TRY_CANCEL)
                .setRetryOptions(RetryOptions.newBuilder()
                        .setInitialInterval(interval)
                        .setBackoffCoefficient(1)
                        .build());
        if (!limit.isZero()) {
            b.setScheduleToCloseTimeout(limit);
        }
        return b.build();
    }

    /** Options for a short call that is retried while its other side is away. */
    static ActivityOptions call(String queue, Duration startToClose, Duration limit) {
        return ActivityOptions.newBuilder()
                .setTaskQueue(queue)
                .setStartToCloseTimeout(startToClose)
                .setScheduleToCloseTimeout(limit)
                .setRetryOptions(RetryOptions.newBuilder()
                        .setInitialInterval(Duration.ofMillis(500))
                        .setBackoffCoefficient(2)
                        .setMaximumInterval(Duration.ofSeconds(20))
                        .build())
                .build();
    }

    static Ended ended(ActivityFailure failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof CanceledFailure) {
            return Ended.CANCELLED;
        }
        if (cause instanceof TimeoutFailure timeout) {
            return lastType(timeout).equals(NotYet.TRANSPORT) ? Ended.UNREACHABLE : Ended.LIMIT;
        }
        if (cause instanceof ApplicationFailure app) {
            return switch (failure.getRetryState()) {
                // The server gives up early when the next attempt would start after the limit.
                case RETRY_STATE_TIMEOUT -> app.getType().equals(NotYet.TRANSPORT) ? Ended.UNREACHABLE : Ended.LIMIT;
                default -> Ended.FAILED;
            };
        }
        return Ended.FAILED;
    }

    /** The innermost words of a failure. */
    static String words(ActivityFailure failure) {
        Throwable t = failure;
        while (t.getCause() != null) {
            t = t.getCause();
        }
        return t instanceof ApplicationFailure app ? app.getOriginalMessage() : String.valueOf(t.getMessage());
    }

    private static String lastType(TimeoutFailure timeout) {
        return timeout.getCause() instanceof ApplicationFailure app ? app.getType() : "";
    }
}
