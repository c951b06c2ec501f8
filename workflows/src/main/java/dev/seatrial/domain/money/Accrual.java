package dev.seatrial.domain.money;

import dev.seatrial.domain.money.SpendLimit.Window;
import dev.seatrial.provider.Pricing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.joda.money.BigMoney;

/**
 * When a lease's money counts: as the vendor begins to bill it. A minimum and a begun increment count at their beginning,
 * so an hour begun before midnight belongs to that day as a whole. The parts of all windows add up to the whole, exactly.
 *
 * @param pricing how it is billed
 * @param from when billing may begin
 * @param to when it ends at the latest
 * @param total all of it
 */
public record Accrual(Pricing pricing, Instant from, Instant to, BigMoney total) {
    private static final int SCALE = 6;

    /** What of it counts in a window. */
    public BigMoney in(Window window) {
        return until(window.to()).minus(until(window.from()));
    }

    private BigMoney until(Instant at) {
        if (!at.isAfter(from)) {
            return BigMoney.zero(total.getCurrencyUnit());
        }
        if (!at.isBefore(to)) {
            return total.withScale(SCALE, RoundingMode.CEILING);
        }
        Duration all = LeaseTiming.billed(pricing, Duration.between(from, to));
        Duration begun = LeaseTiming.billed(pricing, Duration.between(from, at));
        return BigMoney.of(
                total.getCurrencyUnit(),
                total.getAmount()
                        .multiply(BigDecimal.valueOf(begun.toMillis()))
                        .divide(BigDecimal.valueOf(all.toMillis()), SCALE, RoundingMode.CEILING));
    }
}
