package dev.seatrial.simulator.cloud;

import java.util.OptionalLong;

/** The vendor says no. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient OptionalLong retryAfter;

    public Refusal(int status, String code, String message) {
        this(status, code, message, OptionalLong.empty());
    }

    /** @param retryAfter seconds */
    public Refusal(int status, String code, String message, OptionalLong retryAfter) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.retryAfter = retryAfter;
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public OptionalLong retryAfter() {
        return retryAfter;
    }

    public String words() {
        return String.valueOf(getMessage());
    }
}
