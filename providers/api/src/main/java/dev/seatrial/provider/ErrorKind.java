package dev.seatrial.provider;

/** The closed set of reasons a vendor call fails. Every adapter maps its wire codes onto it in one file. */
public enum ErrorKind {
    /** This offer is out of stock now; another offer or a later time may work. The only kind that moves on to the next offer. */
    NO_CAPACITY,
    /** The account may not have this many; final until the user acts. */
    QUOTA,
    INSUFFICIENT_FUNDS,
    /** The key is wrong or expired. */
    AUTH,
    /** The key is right but may not do this. */
    PERMISSION,
    /** The account is unverified, inactive or lacks real-name registration. */
    ACCOUNT_BLOCKED,
    INVALID_ARGUMENT,
    NOT_FOUND,
    /** Not possible in the present state; try later (still provisioning, must be stopped first, …). */
    CONFLICT_STATE,
    RATE_LIMITED,
    /** 5xx, time-out or reset on a read. On a create this is {@link CreateOutcome.Unknown} instead. */
    VENDOR_UNAVAILABLE,
    DEPRECATED_ENDPOINT,
    /** The answer had an unexpected shape. */
    PROTOCOL;

    /** Whether the same call may succeed later without anyone acting. */
    public boolean passing() {
        return switch (this) {
            case NO_CAPACITY, CONFLICT_STATE, RATE_LIMITED, VENDOR_UNAVAILABLE -> true;
            case QUOTA,
                    INSUFFICIENT_FUNDS,
                    AUTH,
                    PERMISSION,
                    ACCOUNT_BLOCKED,
                    INVALID_ARGUMENT,
                    NOT_FOUND,
                    DEPRECATED_ENDPOINT,
                    PROTOCOL -> false;
        };
    }
}
