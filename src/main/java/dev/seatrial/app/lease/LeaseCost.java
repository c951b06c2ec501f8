package dev.seatrial.app.lease;

import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.provider.Charge;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a lease has cost when it is closed. */
final class LeaseCost {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseCost.class);

    /**
     * @param cost in the offer's currency
     * @param inPlan in the plan's currency, at most what was reserved
     * @param overrun what lies above the reservation, in the plan's currency
     */
    record Closing(BigMoney cost, BigMoney inPlan, BigMoney overrun) {}

    /** The vendor's own figure where it has one, else time × price from the create request to the first proven absence. */
    Closing close(Provider provider, LeaseRow row, boolean existed, Instant gone) {
        return split(
                row,
                vendorFigure(provider, row)
                        .orElseGet(() -> existed
                                ? LeaseTiming.cost(row.pricing(), existed(row, gone))
                                : BigMoney.zero(row.pricing().hourly().getCurrencyUnit())));
    }

    Closing handBack(LeaseRow row, Instant at) {
        return split(row, LeaseTiming.cost(row.pricing(), existed(row, at)));
    }

    private static Duration existed(LeaseRow row, Instant until) {
        Duration d = Duration.between(row.timing().requestedAt(), until);
        return d.isNegative() ? Duration.ZERO : d;
    }

    private static Optional<BigMoney> vendorFigure(Provider provider, LeaseRow row) {
        if (!provider.capabilities().cost() || row.instance().isEmpty()) {
            return Optional.empty();
        }
        try {
            return provider.cost(row.instance().get())
                    .filter(c -> c.amount()
                            .getCurrencyUnit()
                            .equals(row.pricing().hourly().getCurrencyUnit()))
                    .map(Charge::amount);
        } catch (ProviderException e) {
            LOG.info("{} tells no cost of {}: {}", provider.id(), row.name(), e.words());
            return Optional.empty();
        }
    }

    private static Closing split(LeaseRow row, BigMoney cost) {
        BigMoney total = BigMoney.of(
                row.reservedInPlan().getCurrencyUnit(),
                cost.getAmount().multiply(new BigDecimal(row.fxRate())).setScale(Budget.SCALE, RoundingMode.CEILING));
        BigMoney within = total.isGreaterThan(row.reservedInPlan()) ? row.reservedInPlan() : total;
        return new Closing(cost, within, total.minus(within));
    }
}
