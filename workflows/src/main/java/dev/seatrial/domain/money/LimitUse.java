package dev.seatrial.domain.money;

import java.time.Instant;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * How far a limit is used.
 *
 * @param limit the limit
 * @param used spent, overrun and reserved by open leases, in its present window; for a balance nothing
 * @param resets when it begins anew; empty for a balance
 */
public record LimitUse(SpendLimit limit, BigMoney used, Optional<Instant> resets) {
    /** What may still be spent; never negative. */
    public BigMoney left() {
        BigMoney left = limit.amount().minus(used);
        return left.isNegative() ? BigMoney.zero(left.getCurrencyUnit()) : left;
    }
}
