package dev.seatrial.provider;

import java.time.Instant;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * An instance as the vendor shows it.
 *
 * @param id vendor's id
 * @param name vendor's name field, whatever it holds; empty when it has none
 * @param state normalised state
 * @param vendorState the vendor's own word
 * @param ssh where to log in, once known
 * @param hourly price the vendor shows on the instance itself, to be held against the quote
 * @param createdAt when the vendor says it was created
 */
public record Instance(
        InstanceId id,
        String name,
        InstanceState state,
        String vendorState,
        Optional<SshEndpoint> ssh,
        Optional<BigMoney> hourly,
        Optional<Instant> createdAt) {}
