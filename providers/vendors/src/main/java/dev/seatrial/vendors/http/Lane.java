package dev.seatrial.vendors.http;

/** Which share of an account's request rate a call uses. */
public enum Lane {
    /** Catalogue, account, balance. Waits its turn; stopped by the breaker. */
    READ,
    /** Create, and what it needs. Waits its turn; stopped by the breaker. */
    CREATE,
    /** Release, list, and the reads that prove an instance gone. Has a share of its own; no breaker ever stops it. */
    SAFETY
}
