package dev.seatrial.workflow;

import io.temporal.activity.ActivityCancellationType;
import io.temporal.activity.ActivityOptions;
import io.temporal.common.RetryOptions;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.failure.TimeoutFailure;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Activity options, timers and the one mapping of how a wait ended.
 *
 * <p>Nothing here ever sends a command that cancels an activity or a timer. When such a command crosses the end of what
 * it cancels, the embedded engine rejects the whole workflow task and never schedules another: the workflow would stand
 * still until some other event. So activities are abandoned when no longer wanted (polls end with their limit, with what
 * they wait for, or with the workflow) and timers are left to fire unheard.
 */
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
                .setCancellationType(ActivityCancellationType.ABANDON)
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
                .setCancellationType(ActivityCancellationType.ABANDON)
                .setRetryOptions(RetryOptions.newBuilder()
                        .setInitialInterval(Duration.ofMillis(500))
                        .setBackoffCoefficient(2)
                        .setMaximumInterval(Duration.ofSeconds(20))
                        .build())
                .build();
    }

    /** Time from now until then, never negative. */
    static Duration until(Instant then) {
        Duration left = Duration.ofMillis(then.toEpochMilli() - Workflow.currentTimeMillis());
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Waits for a condition, at most until then. Cancellation ends the wait as it ends any. */
    static void until(Instant then, Supplier<Boolean> condition) {
        Duration left = until(then);
        if (condition.get() || left.isZero()) {
            return;
        }
        Promise<?>[] timer = new Promise<?>[1];
        Workflow.newDetachedCancellationScope(() -> timer[0] = Workflow.newTimer(left))
                .run();
        Workflow.await(() -> timer[0].isCompleted() || condition.get());
    }

    /** The workflow's now. */
    static Instant now() {
        return Instant.ofEpochMilli(Workflow.currentTimeMillis());
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
    static String words(TemporalFailure failure) {
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
