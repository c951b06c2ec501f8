package dev.seatrial.app.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.joda.money.BigMoney;

/** Money and numbers as text. */
final class Amounts {
    private Amounts() {}

    /** Exact, with at least this many decimal places. */
    static String exact(BigMoney money, int places) {
        BigDecimal amount = money.getAmount().stripTrailingZeros();
        return (amount.scale() < places ? amount.setScale(places, RoundingMode.UNNECESSARY) : amount).toPlainString();
    }

    /** For people: two decimal places, four for odd amounts below ten. */
    static String brief(BigMoney money) {
        BigDecimal amount = money.getAmount();
        boolean small = amount.signum() != 0 && amount.abs().compareTo(BigDecimal.TEN) < 0;
        BigDecimal rounded = amount.setScale(small ? 4 : 2, RoundingMode.HALF_UP);
        boolean round = rounded.stripTrailingZeros().scale() <= 2;
        return (round ? rounded.setScale(2, RoundingMode.UNNECESSARY) : rounded).toPlainString();
    }

    static String withCurrency(BigMoney money) {
        return brief(money) + " " + money.getCurrencyUnit().getCode();
    }

    /** Three to four significant digits, thousands grouped by a thin space; a dash for what is no number. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        if (value == 0) {
            return "0";
        }
        double size = Math.abs(value);
        if (size >= 1e12 || size < 1e-6) {
            return String.format(java.util.Locale.ROOT, "%.3g", value);
        }
        int places = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : size >= 0.1 ? 4 : 6;
        BigDecimal rounded =
                BigDecimal.valueOf(value).setScale(places, RoundingMode.HALF_UP).stripTrailingZeros();
        String plain = rounded.toPlainString();
        return size >= 10_000 ? group(plain) : plain;
    }

    /** A share as a percentage without decimals; below 10 % with one. */
    static String percent(double share) {
        if (!Double.isFinite(share)) {
            return "–";
        }
        double hundred = share * 100;
        return BigDecimal.valueOf(hundred)
                        .setScale(Math.abs(hundred) < 10 ? 1 : 0, RoundingMode.HALF_UP)
                        .toPlainString()
                + "\u00a0%";
    }

    private static String group(String digits) {
        StringBuilder out = new StringBuilder(digits);
        int least = digits.startsWith("-") ? 1 : 0;
        for (int at = digits.length() - 3; at > least; at -= 3) {
            out.insert(at, '\u202f');
        }
        return out.toString();
    }
}
