package dev.seatrial.vendors.http;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How one account is called.
 *
 * @param account configured name, for messages
 * @param base address of the API; a trailing slash does not matter
 * @param headers sent with every request, credentials among them
 * @param secrets texts that must never leave in a message
 * @param limits pace
 * @param times longest waits
 * @param clock ours, against which the vendor's is compared, and on which an open breaker closes again
 */
public record HttpSettings(
        String account,
        URI base,
        Map<String, String> headers,
        List<String> secrets,
        Limits limits,
        Times times,
        Clock clock) {
    /**
     * @param perSecond requests of lanes READ and CREATE together
     * @param safetyPerSecond requests of lane SAFETY; both together must stay inside what the vendor permits
     * @param atOnce requests of READ and CREATE in flight
     * @param patience how long a call waits for its turn
     */
    public record Limits(double perSecond, double safetyPerSecond, int atOnce, Duration patience) {
        public static final Limits DEFAULT = new Limits(8, 8, 16, Duration.ofSeconds(30));
        /** For a vendor on this computer. */
        public static final Limits LOOPBACK = new Limits(5000, 5000, 256, Duration.ofSeconds(30));
    }

    /**
     * @param connect for a connection
     * @param read for a read's whole answer
     * @param write for the whole answer of anything that changes something
     */
    public record Times(Duration connect, Duration read, Duration write) {
        public static final Times DEFAULT =
                new Times(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60));
    }

    public HttpSettings {
        headers = Map.copyOf(headers);
        secrets = List.copyOf(secrets);
    }

    /** Bearer key, usual pace and waits, system clock. */
    public static HttpSettings bearer(String account, URI base, String key) {
        return new HttpSettings(
                account,
                base,
                Map.of("Authorization", "Bearer " + key),
                List.of(key),
                Limits.DEFAULT,
                Times.DEFAULT,
                Clock.systemUTC());
    }

    public HttpSettings with(Limits other) {
        return new HttpSettings(account, base, headers, secrets, other, times, clock);
    }

    public HttpSettings with(Times other) {
        return new HttpSettings(account, base, headers, secrets, limits, other, clock);
    }

    public HttpSettings with(Clock other) {
        return new HttpSettings(account, base, headers, secrets, limits, times, other);
    }

    /** Never shows headers or secrets. */
    @Override
    public String toString() {
        return "HttpSettings[account=" + account + ", base=" + base + "]";
    }
}
