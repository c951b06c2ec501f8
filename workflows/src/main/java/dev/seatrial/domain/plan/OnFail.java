package dev.seatrial.domain.plan;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import org.joda.money.BigMoney;

/**
 * How a machine that failed is held for evidence, within its lease: its deadline does not move and no more money is
 * reserved.
 *
 * @param keep longest time
 * @param max most that holding may cost, in the plan's currency, above zero
 */
public record OnFail(Duration keep, BigMoney max) {
    private static final BigDecimal SECONDS_PER_HOUR = BigDecimal.valueOf(3_600);

    /**
     * How long a machine is held at most.
     *
     * @param hourly its price for one hour, in the plan's currency
     */
    public Duration hold(BigMoney hourly) {
        if (!hourly.isPositive()) {
            return keep;
        }
        BigDecimal affordable = max.getAmount()
                .multiply(SECONDS_PER_HOUR)
                .divide(hourly.getAmount(), 0, RoundingMode.FLOOR)
                .min(BigDecimal.valueOf(keep.toSeconds()));
        return Duration.ofSeconds(affordable.longValueExact());
    }
}
