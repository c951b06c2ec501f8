package dev.seatrial.app.lease;

import java.time.Duration;
import java.time.Instant;

/** What one step towards gone has come to. */
public sealed interface ReleaseStep {
    /** Nothing more to do: absence is proven and written, or nothing was ever sent. */
    record Gone(Instant at) implements ReleaseStep {}

    /**
     * Not yet.
     *
     * @param after when to step again
     * @param why in the vendor's words where there are any
     * @param overdue whether it is past the latest end that its money covers
     */
    record NotYetGone(Duration after, String why, boolean overdue) implements ReleaseStep {}
}
