package dev.seatrial.domain.money;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/**
 * What may be spent over all evaluations together. Real and simulated money are counted apart, each against the same
 * limits, so that play never uses up what is kept for trials, and a limit can be tried out for nothing.
 *
 * @param currency what all of them are counted in
 * @param zone whose midnight begins a day and a month
 * @param fx price of one unit of a foreign currency in {@code currency}
 * @param limits at most one for each account and period
 */
public record SpendLimits(CurrencyUnit currency, ZoneId zone, Map<String, BigDecimal> fx, List<SpendLimit> limits) {
    /** Decimal places kept in converted amounts (micros). */
    private static final int SCALE = 6;

    public SpendLimits {
        fx = Map.copyOf(fx);
        limits = List.copyOf(limits);
        for (SpendLimit limit : limits) {
            if (!limit.amount().getCurrencyUnit().equals(currency)) {
                throw new IllegalArgumentException("limits count in " + currency + ", not in " + limit.amount());
            }
        }
    }

    /** Limits that apply to an account: its own and those over all. */
    public List<SpendLimit> of(String account) {
        return limits.stream().filter(l -> l.covers(account)).toList();
    }

    /** The balance that trials must leave on a prepaid account. */
    public Optional<SpendLimit> keepBalance(String account) {
        return limits.stream()
                .filter(l -> l.period() == SpendLimit.Period.BALANCE && l.covers(account))
                .findFirst();
    }

    /** In the limits' currency, rounded up to a micro; empty when there is no rate. */
    public Optional<BigMoney> up(BigMoney amount) {
        return converted(amount, RoundingMode.CEILING);
    }

    /** In the limits' currency, rounded down to a micro; empty when there is no rate. */
    public Optional<BigMoney> down(BigMoney amount) {
        return converted(amount, RoundingMode.FLOOR);
    }

    private Optional<BigMoney> converted(BigMoney amount, RoundingMode mode) {
        if (amount.getCurrencyUnit().equals(currency)) {
            return Optional.of(amount.withScale(SCALE, mode));
        }
        return Optional.ofNullable(fx.get(amount.getCurrencyUnit().getCode()))
                .map(rate ->
                        BigMoney.of(currency, amount.getAmount().multiply(rate).setScale(SCALE, mode)));
    }
}
