package dev.seatrial.app.preflight;

import java.math.RoundingMode;
import org.joda.money.BigMoney;

/** Money for reading: two decimals, rounded up. */
final class Amounts {
    private Amounts() {}

    static String text(BigMoney money) {
        return money.withScale(2, RoundingMode.CEILING).toString();
    }
}
