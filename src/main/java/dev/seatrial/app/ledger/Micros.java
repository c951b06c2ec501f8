package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** Money as whole millionths of its currency. */
final class Micros {
    private static final int SCALE = 6;

    private Micros() {}

    /** For what is spent or reserved: rounded up. */
    static long up(BigMoney amount) {
        return exact(amount, RoundingMode.CEILING);
    }

    /** For caps: rounded down. */
    static long down(BigMoney amount) {
        return exact(amount, RoundingMode.FLOOR);
    }

    static BigMoney money(long micros, String currency) {
        return BigMoney.of(CurrencyUnit.of(currency), BigDecimal.valueOf(micros, SCALE));
    }

    private static long exact(BigMoney amount, RoundingMode mode) {
        try {
            return amount.getAmount().setScale(SCALE, mode).unscaledValue().longValueExact();
        } catch (ArithmeticException tooLarge) {
            throw new LedgerException(LedgerException.Kind.INVALID, "amount is too large for the ledger: " + amount);
        }
    }
}
