package dev.seatrial.provider;

import java.time.Duration;

/** The step to which a vendor rounds billed time up. */
public enum BillingIncrement {
    SECOND(Duration.ofSeconds(1)),
    MINUTE(Duration.ofMinutes(1)),
    HOUR(Duration.ofHours(1)),
    DAY(Duration.ofDays(1));

    private final Duration step;

    BillingIncrement(Duration step) {
        this.step = step;
    }

    public Duration step() {
        return step;
    }
}
