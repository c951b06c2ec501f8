package dev.seatrial.vendors.http;

import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import java.time.Duration;
import java.util.Optional;

/** There is no answer: whether the request may have reached the vendor is what matters. */
public final class NoAnswerException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;
    private final boolean maySent;
    private final transient Optional<Duration> retryAfter;

    NoAnswerException(ErrorKind kind, boolean maySent, String why, Optional<Duration> retryAfter) {
        super(why);
        this.kind = kind;
        this.maySent = maySent;
        this.retryAfter = retryAfter;
    }

    /** Whether any of it may have reached the vendor. False only when that is certain. */
    public boolean mayHaveBeenSent() {
        return maySent;
    }

    /** What was seen, redacted. */
    public String why() {
        return String.valueOf(getMessage());
    }

    public ErrorKind kind() {
        return kind;
    }

    public Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /** For calls on which nothing depends but the answer. */
    public ProviderException asProviderException() {
        return new ProviderException(kind, why(), retryAfter, this);
    }
}
