package dev.seatrial.provider;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What a cheap read tells of the account.
 *
 * @param label the account as the vendor calls it; may be empty
 * @param missing permissions known to be missing ({@code create}, {@code delete}, …); empty when none is known to be
 * @param clockSkew vendor's clock minus ours, when its answer carried a date
 */
public record Account(String label, Set<String> missing, Optional<Duration> clockSkew) {
    public Account {
        missing = Set.copyOf(missing);
    }
}
