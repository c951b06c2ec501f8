package dev.seatrial.workflow;

import dev.seatrial.provider.ErrorKind;
import java.util.Optional;

/**
 * How a lease ended. The instance is proven gone, or never was.
 *
 * @param end what happened
 * @param lease lease id; empty when the ledger granted nothing
 * @param kind kind of the vendor's refusal
 * @param words why, in the vendor's words where there are any
 */
public record LeaseResult(End end, Optional<String> lease, Optional<ErrorKind> kind, String words) {
    /** What happened. */
    public enum End {
        /** Was usable, has been released and proven gone. */
        RELEASED,
        /** The money does not fit a cap. */
        NO_MONEY,
        /** The money may fit once other candidates' single phases are over. */
        MONEY_LATER,
        /** The evaluation ends before the work could be done. */
        NO_TIME,
        /** The vendor refused. */
        REFUSED,
        /** It came but never became usable; released and proven gone. */
        NEVER_READY,
        /** Cancelled before it was usable; released and proven gone if it existed. */
        CANCELLED
    }
}
