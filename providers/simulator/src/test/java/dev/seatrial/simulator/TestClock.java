package dev.seatrial.simulator;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. */
public final class TestClock implements InstantSource {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-05-04T10:00:00Z"));

    @Override
    public Instant instant() {
        return now.get();
    }

    public void advance(Duration time) {
        now.updateAndGet(at -> at.plus(time));
    }
}
