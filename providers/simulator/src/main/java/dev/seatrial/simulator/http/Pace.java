package dev.seatrial.simulator.http;

import dev.seatrial.simulator.Profile;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.OptionalLong;

/** The vendor's rate limit on the simulated clock. Thread-safe. */
final class Pace {
    private final Profile.Rate rate;
    private final InstantSource clock;
    private double tokens;
    private Instant filled;

    Pace(Profile.Rate rate, InstantSource clock) {
        this.rate = rate;
        this.clock = clock;
        this.tokens = rate.burst();
        this.filled = clock.instant();
    }

    /** Takes a token, or says after how many seconds there is one. */
    synchronized OptionalLong tooFast() {
        if (rate.perSecond() <= 0) {
            return OptionalLong.empty();
        }
        Instant now = clock.instant();
        double elapsed = Math.max(0, Duration.between(filled, now).toMillis()) / 1000.0;
        tokens = Math.min(rate.burst(), tokens + elapsed * rate.perSecond());
        filled = now;
        if (tokens >= 1) {
            tokens -= 1;
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(1, (long) Math.ceil((1 - tokens) / rate.perSecond())));
    }
}
