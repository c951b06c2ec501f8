package dev.seatrial.vendors;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. */
public final class TestClock implements InstantSource {
    private final AtomicReference<Instant> now;

    public TestClock(Instant start) {
        this.now = new AtomicReference<>(start);
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    public void advance(Duration time) {
        now.updateAndGet(at -> at.plus(time));
    }
}
