package dev.seatrial.workflow;

import dev.seatrial.provider.ErrorKind;
import java.util.Optional;

/**
 * How a create ended, already written to the ledger.
 *
 * @param outcome what is known
 * @param instance vendor's id, if one is known, also with a refusal
 * @param kind kind of refusal
 * @param words the vendor's own words
 */
public record CreateResult(Outcome outcome, Optional<String> instance, Optional<ErrorKind> kind, String words) {
    /** What is known. */
    public enum Outcome {
        CREATED,
        /** Definitely not there; nothing to release. */
        NOT_CREATED,
        /** May exist: adopt by name, or release. */
        SUSPECT,
        /** Refused, yet the answer carried an id: release it. */
        REFUSED_WITH_ID
    }
}
