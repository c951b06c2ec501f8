package dev.seatrial.app.bench;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads quantities as people write them: {@code 3GB/s}, {@code 500 Mbps}, {@code 512G}, {@code 50k IOPS}. Total. */
final class Quantity {
    private static final Pattern FORM =
            Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s*([kKMGTmgt]?)(i?)([bB]?)(?:its?|ytes?)?\\s*(.*)");
    private static final int LONGEST = 60;

    private Quantity() {}

    /** Bytes per second; a small {@code b}, {@code bit} or {@code bps} means bits. */
    static OptionalDouble rate(String text) {
        Matcher m = FORM.matcher(text);
        if (text.length() > LONGEST
                || !m.matches()
                || !m.group(5).toLowerCase(Locale.ROOT).matches("(/ ?s(ec)?|ps)?")) {
            return OptionalDouble.empty();
        }
        boolean bits = m.group(4).equals("b") || text.toLowerCase(Locale.ROOT).contains("bit");
        return OptionalDouble.of(scaled(m) / (bits ? 8 : 1));
    }

    /** Bytes per second of a disk, for which nobody means bits. */
    static OptionalDouble diskRate(String text) {
        return rate(text.replace('b', 'B'));
    }

    /** Bytes. */
    static OptionalDouble size(String text) {
        Matcher m = FORM.matcher(text);
        return text.length() <= LONGEST && m.matches() && m.group(5).isBlank()
                ? OptionalDouble.of(scaled(m))
                : OptionalDouble.empty();
    }

    /** A count, with k or M, and any word after it. */
    static OptionalDouble count(String text) {
        Matcher m = FORM.matcher(text);
        return text.length() <= LONGEST && m.matches() && m.group(4).isEmpty()
                ? OptionalDouble.of(scaled(m))
                : OptionalDouble.empty();
    }

    private static double scaled(Matcher m) {
        double base = m.group(3).isEmpty() ? 1000 : 1024;
        int power = m.group(2).isEmpty() ? 0 : "KMGT".indexOf(m.group(2).toUpperCase(Locale.ROOT)) + 1;
        return Double.parseDouble(m.group(1)) * Math.pow(base, power);
    }
}
