package dev.seatrial.simulator.cloud;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The vendor's bill. Its arithmetic is its own and shares nothing with the product that it judges: whole milliseconds,
 * counted up to whole increments, times the price, half up at the sixth decimal.
 */
public final class Meter {
    private static final BigDecimal MILLIS_PER_HOUR = BigDecimal.valueOf(3_600_000);

    private Meter() {}

    /**
     * @param hourly price of the whole instance for one hour
     * @param stepSeconds increment to which time is rounded up, in seconds
     * @param minimumSeconds least time billed
     */
    public record Tariff(BigDecimal hourly, long stepSeconds, long minimumSeconds) {}

    /**
     * What is owed.
     *
     * @param from since when it exists
     * @param gone since when it is really gone; empty or later than {@code now} while it is not
     */
    public static BigDecimal owed(Tariff tariff, Instant from, Optional<Instant> gone, Instant now) {
        Instant end = gone.filter(at -> !at.isAfter(now)).orElse(now);
        if (now.isBefore(from)) {
            return BigDecimal.ZERO.setScale(6);
        }
        long millis = ceilMillis(Duration.between(from, end));
        long least = Math.max(millis, tariff.minimumSeconds() * 1000);
        long step = tariff.stepSeconds() * 1000;
        long steps = least / step + (least % step == 0 ? 0 : 1);
        return tariff.hourly()
                .multiply(BigDecimal.valueOf(steps * step))
                .divide(MILLIS_PER_HOUR, 6, RoundingMode.HALF_UP);
    }

    private static long ceilMillis(Duration time) {
        return time.toMillis() + (time.getNano() % 1_000_000 == 0 ? 0 : 1);
    }
}
