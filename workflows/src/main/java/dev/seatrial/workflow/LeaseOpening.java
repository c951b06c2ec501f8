package dev.seatrial.workflow;

import java.time.Instant;
import java.util.Optional;

/**
 * The ledger's answer as the workflow needs it.
 *
 * @param decision {@code granted}, {@code refused}, {@code later}
 * @param handle name and ids, when granted
 * @param deadline when granted
 * @param latestGone when granted
 * @param words what is missing and of which cap, when not granted
 */
public record LeaseOpening(
        Decision decision,
        Optional<LeaseHandle> handle,
        Optional<Instant> deadline,
        Optional<Instant> latestGone,
        String words) {
    /** What was decided. */
    public enum Decision {
        GRANTED,
        REFUSED,
        LATER,
        /** The evaluation ends before the work could be done. */
        NO_TIME
    }
}
