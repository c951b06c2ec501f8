package dev.seatrial.workflow;

import io.temporal.failure.ApplicationErrorCategory;
import io.temporal.failure.ApplicationFailure;
import java.time.Duration;

/** How waiting is done: an activity that looks once and fails retryably until the thing is so. */
public final class NotYet {
    /** Failure type of "not so yet". */
    public static final String TYPE = "NotYet";
    /** Failure type of "could not look": the machine or the vendor did not answer. */
    public static final String TRANSPORT = "Transport";
    /** Failure type of something that waiting does not mend; the message is in the vendor's words. */
    public static final String FINAL = "Final";

    private NotYet() {}

    /** Look again after this long. */
    public static ApplicationFailure after(Duration delay, String why) {
        return failure(why, TYPE, delay);
    }

    /** Could not look; try again after this long. */
    public static ApplicationFailure unreachable(Duration delay, String why) {
        return failure(why, TRANSPORT, delay);
    }

    /** Never look again. */
    public static ApplicationFailure never(String why) {
        return ApplicationFailure.newBuilder()
                .setMessage(why)
                .setType(FINAL)
                .setNonRetryable(true)
                .setCategory(ApplicationErrorCategory.BENIGN)
                .build();
    }

    private static ApplicationFailure failure(String why, String type, Duration delay) {
        return ApplicationFailure.newBuilder()
                .setMessage(why)
                .setType(type)
                .setNextRetryDelay(delay)
                .setCategory(ApplicationErrorCategory.BENIGN)
                .build();
    }
}
