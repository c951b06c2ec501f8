package dev.seatrial.app.lease;

import dev.seatrial.provider.Instance;
import dev.seatrial.provider.Provider;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * What is on one vendor account, read once for all who ask: {@code list()} is shared at the rate the vendor permits.
 * Thread-safe.
 */
public final class AccountView {
    private final Provider provider;
    private final InstantSource clock;
    private Optional<Snapshot> last = Optional.empty();

    AccountView(Provider provider, InstantSource clock) {
        this.provider = provider;
        this.clock = clock;
    }

    /**
     * A complete list.
     *
     * @param readAt when the reading began; the list shows nothing older
     */
    public record Snapshot(Instant readAt, List<Instance> instances) {}

    /** A list that began to be read no longer ago than {@code maxAge}; reads anew when there is none. Throws as {@code list()} does. */
    public synchronized Snapshot atMost(Duration maxAge) {
        Instant now = clock.instant();
        if (last.isEmpty() || last.get().readAt().plus(maxAge).isBefore(now)) {
            last = Optional.of(new Snapshot(now, provider.list()));
        }
        return last.get();
    }

    /** A list that began to be read after this call, or at the very moment of it. */
    public synchronized Snapshot fresh() {
        Snapshot snapshot = new Snapshot(clock.instant(), provider.list());
        last = Optional.of(snapshot);
        return snapshot;
    }
}
