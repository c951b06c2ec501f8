package dev.seatrial.app.lease;

import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.Charge;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a lease has cost when it is closed. */
final class LeaseCost {
    /** How much later than it was gone an instance may be seen gone. */
    private static final Duration SEEN_LATE = Duration.ofMinutes(2);

    private static final Logger LOG = LoggerFactory.getLogger(LeaseCost.class);

    /**
     * @param cost in the offer's currency
     * @param inPlan in the plan's currency, what of it lies within the quoted price and what was reserved
     * @param overrun what lies above either, in the plan's currency
     * @param difference what the vendor bills against what time and price make, in words, where they are apart
     */
    record Closing(BigMoney cost, BigMoney inPlan, BigMoney overrun, Optional<String> difference) {}

    /**
     * The vendor's own final figure where it has one, else time × price from the create request to the first proven absence.
     *
     * @param instances all that the lease had
     * @param dearer price for one hour that the instance itself showed, when it was above the quote
     */
    Closing close(Provider provider, LeaseRow row, Set<InstanceId> instances, Optional<BigMoney> dearer, Instant gone) {
        BigMoney none = BigMoney.zero(row.pricing().hourly().getCurrencyUnit());
        if (instances.isEmpty()) {
            return split(row, none, none);
        }
        // By the quote, one instance for all of this time is the most that the vendor may bill.
        BigMoney quoted = LeaseTiming.cost(row.pricing(), existed(row, gone));
        BigMoney each = dearer.map(price -> LeaseTiming.cost(at(row.pricing(), price), existed(row, gone)))
                .orElse(quoted);
        BigMoney total = none;
        BigMoney rightly = none;
        boolean told = false;
        for (InstanceId id : instances) {
            Optional<BigMoney> figure = vendorFigure(provider, row, id);
            told |= figure.isPresent();
            BigMoney one = figure.orElse(each);
            total = total.plus(one);
            rightly = one;
        }
        Closing split = split(row, total, least(quoted, atQuote(row.pricing(), dearer, rightly)));
        Optional<String> difference = told && apart(row.pricing(), total, quoted)
                ? Optional.of(total + LeaseEvent.AGAINST + quoted)
                : Optional.empty();
        return new Closing(split.cost(), split.inPlan(), split.overrun(), difference);
    }

    /** More than was counted, or less by more than a look that came late explains. */
    private static boolean apart(Pricing pricing, BigMoney told, BigMoney counted) {
        BigMoney late = LeaseTiming.cost(
                Pricing.of(pricing.totalHourly(), BillingIncrement.SECOND, Duration.ZERO),
                SEEN_LATE.plus(pricing.increment().step()));
        return told.isGreaterThan(counted) || counted.minus(told).isGreaterThan(late);
    }

    private static Pricing at(Pricing pricing, BigMoney hourly) {
        return new Pricing(hourly, pricing.increment(), pricing.minimumBilling(), pricing.storageHourly());
    }

    /** What an amount that was billed at a price above the quote would have been at the quote. */
    private static BigMoney atQuote(Pricing quote, Optional<BigMoney> dearer, BigMoney billed) {
        return dearer.map(price -> BigMoney.of(
                        billed.getCurrencyUnit(),
                        billed.getAmount()
                                .multiply(quote.totalHourly().getAmount())
                                .divide(
                                        at(quote, price).totalHourly().getAmount(),
                                        Budget.SCALE,
                                        RoundingMode.CEILING)))
                .orElse(billed);
    }

    private static BigMoney least(BigMoney a, BigMoney b) {
        return a.isLessThan(b) ? a : b;
    }

    Closing handBack(LeaseRow row, Instant at) {
        BigMoney cost = LeaseTiming.cost(row.pricing(), existed(row, at));
        return split(row, cost, cost);
    }

    private static Duration existed(LeaseRow row, Instant until) {
        Duration d = Duration.between(row.timing().requestedAt(), until);
        return d.isNegative() ? Duration.ZERO : d;
    }

    private static Optional<BigMoney> vendorFigure(Provider provider, LeaseRow row, InstanceId id) {
        if (!provider.capabilities().cost()) {
            return Optional.empty();
        }
        try {
            // What is not complete yet would be too little.
            return provider.cost(id)
                    .filter(Charge::complete)
                    .filter(c -> c.amount()
                            .getCurrencyUnit()
                            .equals(row.pricing().hourly().getCurrencyUnit()))
                    .map(Charge::amount);
        } catch (ProviderException e) {
            LOG.info("{} tells no cost of {}: {}", provider.id(), row.name(), e.words());
            return Optional.empty();
        }
    }

    private static Closing split(LeaseRow row, BigMoney cost, BigMoney quoted) {
        BigMoney total = inPlan(row, cost);
        BigMoney rightly = inPlan(row, quoted);
        BigMoney most = rightly.isGreaterThan(row.reservedInPlan()) ? row.reservedInPlan() : rightly;
        BigMoney within = total.isGreaterThan(most) ? most : total;
        return new Closing(cost, within, total.minus(within), Optional.empty());
    }

    private static BigMoney inPlan(LeaseRow row, BigMoney amount) {
        return BigMoney.of(
                row.reservedInPlan().getCurrencyUnit(),
                amount.getAmount().multiply(new BigDecimal(row.fxRate())).setScale(Budget.SCALE, RoundingMode.CEILING));
    }
}
