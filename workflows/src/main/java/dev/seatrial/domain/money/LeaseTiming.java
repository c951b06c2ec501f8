package dev.seatrial.domain.money;

import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Pricing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.joda.money.BigMoney;

/**
 * Until when a lease may live and what must be reserved for it (law 5).
 *
 * @param requestedAt when the create request is sent, at the earliest
 * @param deadline when every owner starts to release
 * @param latestGone when the vendor must have ended it at the latest if it keeps its own allowance
 * @param reserved most it can cost while the vendor keeps its allowance and price, in the offer's currency
 */
public record LeaseTiming(Instant requestedAt, Instant deadline, Instant latestGone, BigMoney reserved) {
    /** From a release's cause to its call having been sent by the lease workflow, with retries of a slow API. */
    public static final Duration WORKFLOW_RELEASE = Duration.ofSeconds(60);
    /** Longest time between two rounds of the sweep. */
    public static final Duration SWEEP_INTERVAL = Duration.ofSeconds(60);
    /** From a sweep's finding to its release call. */
    public static final Duration SWEEP_RELEASE = Duration.ofSeconds(30);

    private static final int SCALE = 6;
    private static final BigDecimal NANOS_PER_HOUR = BigDecimal.valueOf(3_600_000_000_000L);

    /**
     * Plans a lease.
     *
     * @param requestedAt now
     * @param needed longest time from the create request until our work on it is done
     * @param deadline latest moment at which it must be released whatever the work needs
     */
    public static LeaseTiming plan(
            Instant requestedAt, Duration needed, Instant deadline, Capabilities traits, Pricing pricing) {
        // A name carries whole seconds, so the deadline must be one, and never later than what is paid for.
        Instant wanted = requestedAt.plus(needed);
        Instant chosen = Instant.ofEpochSecond((wanted.isAfter(deadline) ? deadline : wanted).getEpochSecond());
        Instant latest = chosen.plus(afterDeadline(traits)).plus(traits.releaseAllowance());
        return new LeaseTiming(requestedAt, chosen, latest, cost(pricing, Duration.between(requestedAt, latest)));
    }

    /** From the deadline until the last of its owners has sent a release. */
    public static Duration afterDeadline(Capabilities traits) {
        Duration sweep = SWEEP_INTERVAL.plus(SWEEP_RELEASE);
        Duration longest = sweep.compareTo(WORKFLOW_RELEASE) > 0 ? sweep : WORKFLOW_RELEASE;
        Duration vendor = traits.serverDeadline()
                .map(Capabilities.ServerDeadline::precision)
                .orElse(Duration.ZERO);
        return vendor.compareTo(longest) > 0 ? vendor : longest;
    }

    /**
     * What a vendor bills for an instance that existed this long: the longer of time and minimum, rounded up to the
     * increment, times the price, rounded up to a micro.
     */
    public static BigMoney cost(Pricing pricing, Duration existed) {
        Duration billed = billed(pricing, existed);
        // Multiplied first: a rounded number of hours would add a micro to amounts that come out even.
        return BigMoney.of(
                pricing.hourly().getCurrencyUnit(),
                pricing.totalHourly()
                        .getAmount()
                        .multiply(BigDecimal.valueOf(billed.toNanos()))
                        .divide(NANOS_PER_HOUR, SCALE, RoundingMode.CEILING));
    }

    /** Billed time: at least the minimum, rounded up to the increment; zero for something that never existed. */
    public static Duration billed(Pricing pricing, Duration existed) {
        Duration least = existed.compareTo(pricing.minimumBilling()) < 0 ? pricing.minimumBilling() : existed;
        long step = pricing.increment().step().toMillis();
        long millis = least.toMillis() + (least.toNanosPart() % 1_000_000 > 0 ? 1 : 0);
        return Duration.ofMillis(Math.multiplyExact(Math.floorDiv(Math.addExact(millis, step - 1), step), step));
    }
}
