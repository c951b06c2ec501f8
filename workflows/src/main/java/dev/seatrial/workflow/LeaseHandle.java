package dev.seatrial.workflow;

import dev.seatrial.provider.SshEndpoint;
import java.util.Optional;

/**
 * All that is needed to find and release an instance, even without a ledger.
 *
 * @param lease lease id
 * @param provider configured vendor account
 * @param name instance name
 * @param instance vendor's id, once known
 * @param endpoint where SSH listens, once known
 */
public record LeaseHandle(
        String lease, String provider, String name, Optional<String> instance, Optional<SshEndpoint> endpoint) {
    public LeaseHandle withInstance(String id) {
        return new LeaseHandle(lease, provider, name, Optional.of(id), endpoint);
    }

    public LeaseHandle withEndpoint(SshEndpoint where) {
        return new LeaseHandle(lease, provider, name, instance, Optional.of(where));
    }
}
