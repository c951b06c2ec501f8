package dev.seatrial.provider;

import java.time.Duration;

/** What a release call told us. None of these proves that the instance is gone. */
public sealed interface ReleaseOutcome {
    /** The vendor took the request. */
    record Accepted() implements ReleaseOutcome {}

    /** The vendor positively says that there is no such instance. */
    record AlreadyGone() implements ReleaseOutcome {}

    /** Refused for a while. */
    record RetryLater(String why, Duration after) implements ReleaseOutcome {}

    /** Refused in a way that waiting alone does not mend; it is tried again all the same, and alarmed. */
    record Failed(ErrorKind kind, String words) implements ReleaseOutcome {}
}
