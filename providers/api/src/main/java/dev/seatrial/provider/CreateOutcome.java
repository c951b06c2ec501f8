package dev.seatrial.provider;

import java.time.Duration;
import java.util.Optional;

/** What a create call told us. Never an exception: an exception from {@code create} counts as {@link Unknown}. */
public sealed interface CreateOutcome {
    /** The vendor made it. */
    record Created(InstanceId id) implements CreateOutcome {}

    /**
     * The vendor said no.
     *
     * @param kind why
     * @param words the vendor's own words, redacted
     * @param id an id that came with the refusal: it must be released
     * @param retryAfter how long the vendor asks us to wait, when it throttled us
     */
    record NotCreated(ErrorKind kind, String words, Optional<InstanceId> id, Optional<Duration> retryAfter)
            implements CreateOutcome {
        public NotCreated(ErrorKind kind, String words) {
            this(kind, words, Optional.empty(), Optional.empty());
        }
    }

    /**
     * It may have happened and may take effect late: time-out, reset, 5xx, unreadable answer.
     *
     * @param why what was seen
     * @param id an id that came with the answer
     */
    record Unknown(String why, Optional<InstanceId> id) implements CreateOutcome {}
}
