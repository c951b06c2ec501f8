package dev.seatrial.domain.money;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * One limit.
 *
 * @param account the vendor account it is for; empty = all together
 * @param period what it counts
 * @param amount most that may be spent in each such period, or for {@link Period#BALANCE} least that must be left; not
 *     negative
 */
public record SpendLimit(Optional<String> account, Period period, BigMoney amount) {
    public SpendLimit {
        if (amount.isNegative()) {
            throw new IllegalArgumentException("a limit must not be negative: " + amount);
        }
        if (period == Period.BALANCE && account.isEmpty()) {
            throw new IllegalArgumentException("a balance is kept on one account");
        }
    }

    /** What a limit counts. */
    public enum Period {
        /** No time: what must be left of a prepaid balance. */
        BALANCE,
        /** From midnight to midnight; 23 to 25 hours where clocks are changed. */
        DAY,
        /** A month of the calendar. */
        MONTH;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @throws IllegalArgumentException for a word that names none */
        public static Period of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /**
     * A stretch of time that is counted by itself.
     *
     * @param from inclusive
     * @param to exclusive: then the next begins with nothing spent
     */
    public record Window(Instant from, Instant to) {}

    boolean covers(String which) {
        return account.isEmpty() || account.get().equals(which);
    }

    /** Every window that a stretch of time touches, at least the one in which it begins; none for a balance. */
    public List<Window> windows(Instant from, Instant to, ZoneId zone) {
        List<Window> windows = new ArrayList<>();
        if (period == Period.BALANCE) {
            return windows;
        }
        LocalDate begin = from.atZone(zone).toLocalDate();
        if (period == Period.MONTH) {
            begin = begin.withDayOfMonth(1);
        }
        do {
            LocalDate next = period == Period.MONTH ? begin.plusMonths(1) : begin.plusDays(1);
            // The first moment of a date, which is not midnight where clocks are put forward at that hour.
            windows.add(new Window(
                    begin.atStartOfDay(zone).toInstant(),
                    next.atStartOfDay(zone).toInstant()));
            begin = next;
        } while (windows.get(windows.size() - 1).to().isBefore(to));
        return windows;
    }
}
