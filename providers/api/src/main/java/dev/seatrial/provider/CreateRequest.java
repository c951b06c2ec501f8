package dev.seatrial.provider;

import java.time.Instant;
import java.util.Optional;

/**
 * One instance to create. The ledger holds all of this before the call.
 *
 * @param name the instance's name; carries installation, lease and deadline
 * @param token idempotency token, the same for every send of this request; at most 64 of {@code [a-z0-9-]}
 * @param offer what to rent
 * @param image the vendor's image id, or empty for the vendor's default
 * @param key key as returned by {@link Provider#ensureSshKey}
 * @param publicKey the key itself, for vendors that take it inline
 * @param startupData script run at first boot, at most 16 KiB, where supported
 * @param deadline when the vendor itself should delete the instance, where supported
 */
public record CreateRequest(
        LeaseName name,
        String token,
        OfferId offer,
        Optional<String> image,
        KeyRef key,
        PublicKey publicKey,
        Optional<String> startupData,
        Instant deadline) {}
