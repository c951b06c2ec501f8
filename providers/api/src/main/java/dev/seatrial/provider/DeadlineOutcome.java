package dev.seatrial.provider;

import java.time.Instant;

/** Whether the vendor itself will delete the instance. */
public sealed interface DeadlineOutcome {
    /** @param at when the vendor will delete it, after its floor and rounding */
    record Armed(Instant at) implements DeadlineOutcome {}

    record Unsupported() implements DeadlineOutcome {}

    record Failed(ErrorKind kind, String words) implements DeadlineOutcome {}
}
