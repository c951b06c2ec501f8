package dev.seatrial.provider;

/** State of an instance. A word we do not know is {@link #UNKNOWN} and counts as billing. */
public enum InstanceState {
    REQUESTED,
    PROVISIONING,
    BOOTING,
    /** The vendor says it runs; usable only when our own probe says so. */
    RUNNING,
    UNHEALTHY,
    STOPPED_BILLING,
    STOPPED_STORAGE_ONLY,
    RELEASING,
    GONE,
    FAILED_MAYBE_BILLING,
    UNKNOWN;

    /** Whether money may still run. Only {@link #GONE} does not bill. */
    public boolean maybeBilling() {
        return this != GONE;
    }

    /** Whether it can never become usable any more. */
    public boolean neverReady() {
        return this == FAILED_MAYBE_BILLING || this == RELEASING || this == GONE;
    }
}
