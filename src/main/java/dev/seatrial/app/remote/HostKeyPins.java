package dev.seatrial.app.remote;

import java.util.Optional;

/** Host keys seen at the first login of each lease. A later login must meet the same key. */
public interface HostKeyPins {
    /** The fingerprint ({@code SHA256:…}) pinned under a name: a lease, or a lease with {@code .jump}. */
    Optional<String> pinned(String name);

    /** Pins a fingerprint; keeps one that is there. */
    void pin(String name, String fingerprint);
}
