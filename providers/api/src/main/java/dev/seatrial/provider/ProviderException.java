package dev.seatrial.provider;

import java.time.Duration;
import java.util.Optional;

/** A vendor call that gave no usable answer. Carries the vendor's own words, with secrets already taken out. */
public final class ProviderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;
    private final transient Optional<Duration> retryAfter;

    public ProviderException(ErrorKind kind, String words) {
        this(kind, words, Optional.empty(), null);
    }

    /**
     * @param words the vendor's own words, redacted, at most a few hundred characters
     * @param retryAfter how long the vendor asks us to wait
     * @param cause what broke underneath, if anything did
     */
    public ProviderException(
            ErrorKind kind,
            String words,
            Optional<Duration> retryAfter,
            @org.jspecify.annotations.Nullable Throwable cause) {
        super(words, cause);
        this.kind = kind;
        this.retryAfter = retryAfter;
    }

    public ErrorKind kind() {
        return kind;
    }

    /** The vendor's own words. */
    public String words() {
        return String.valueOf(getMessage());
    }

    public Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
