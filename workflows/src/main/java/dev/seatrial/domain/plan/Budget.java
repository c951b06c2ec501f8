package dev.seatrial.domain.plan;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/**
 * What the evaluation may cost.
 *
 * @param cap most the evaluation may spend, above zero, in the plan's currency
 * @param fx price of one unit of a foreign currency in the plan's currency; the only rates ever used
 */
public record Budget(BigMoney cap, Map<String, BigDecimal> fx) {
    /** Decimal places kept in converted amounts (micros). */
    public static final int SCALE = 6;

    public Budget {
        if (!cap.isPositive()) {
            throw new IllegalArgumentException("budget.cap must be above zero");
        }
        fx = Map.copyOf(fx);
    }

    public CurrencyUnit currency() {
        return cap.getCurrencyUnit();
    }

    /** Whether amounts in this currency can be converted. */
    public boolean converts(CurrencyUnit from) {
        return from.equals(currency()) || fx.containsKey(from.getCode());
    }

    /**
     * Converts into the plan's currency, rounding up to a micro.
     *
     * @throws IllegalArgumentException when the plan gives no rate
     */
    public BigMoney convertUp(BigMoney amount) {
        if (amount.getCurrencyUnit().equals(currency())) {
            return amount.withScale(SCALE, RoundingMode.CEILING);
        }
        BigDecimal rate = fx.get(amount.getCurrencyUnit().getCode());
        if (rate == null) {
            throw new IllegalArgumentException("budget.fx has no rate for " + amount.getCurrencyUnit());
        }
        return BigMoney.of(currency(), amount.getAmount().multiply(rate).setScale(SCALE, RoundingMode.CEILING));
    }
}
