package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Pricing;
import dev.seatrial.simulator.cloud.Meter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The cost model against another calculation of the same, in whole numbers and fractions that are rounded once, and against
 * the simulated vendor's meter. Thousands of random cases each, from a fixed seed.
 */
class CostModelTest {
    private static final int CASES = 5_000;
    private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000L);
    private static final CurrencyUnit CNY = CurrencyUnit.of("CNY");

    private final Random random = new Random(20_261_130);

    @ParameterizedTest
    @EnumSource(BillingIncrement.class)
    void costIsBegunIncrementsTimesPriceRoundedUpOnce(BillingIncrement increment) {
        for (int i = 0; i < CASES; i++) {
            Pricing pricing = pricing(increment);
            Duration existed = existed(increment);

            BigMoney cost = LeaseTiming.cost(pricing, existed);

            assertThat(cost.getAmount())
                    .as("%s for %s", pricing, existed)
                    .isEqualByComparingTo(independent(pricing, existed));
            assertThat(LeaseTiming.cost(pricing, existed.plusNanos(1))).isGreaterThanOrEqualTo(cost);
        }
    }

    @Test
    void conversionIsRoundedUpOnceAndNeverBelowTheExactAmount() {
        for (int i = 0; i < CASES; i++) {
            BigDecimal rate = decimal(4, 100_000).add(new BigDecimal("0.0001"));
            Budget budget = new Budget(BigMoney.of(CNY, BigDecimal.TEN), Map.of("USD", rate));
            BigDecimal amount = decimal(6, 1_000_000_000);

            BigDecimal inPlan =
                    budget.convertUp(BigMoney.of(CurrencyUnit.USD, amount)).getAmount();

            BigDecimal exact = amount.multiply(rate);
            assertThat(inPlan.scale()).isEqualTo(6);
            assertThat(inPlan).isGreaterThanOrEqualTo(exact);
            assertThat(inPlan.subtract(exact)).isLessThan(new BigDecimal("0.000001"));
            assertThat(budget.convertUp(BigMoney.of(CNY, amount)).getAmount()).isEqualByComparingTo(amount);
        }
    }

    /** Law 5: however late within its own rules the vendor ends it, the bill is not above what was reserved. */
    @ParameterizedTest
    @EnumSource(BillingIncrement.class)
    void whatIsReservedIsNeverBelowWhatTheMeterBills(BillingIncrement increment) {
        for (int i = 0; i < CASES; i++) {
            Pricing pricing = pricing(increment);
            Capabilities traits = traits();
            Instant asked = Instant.ofEpochMilli(1_790_000_000_000L + random.nextInt(1_000_000_000));
            Duration needed = Duration.ofMillis(1_000 + random.nextInt(40_000_000));
            Instant notAfter = asked.plus(Duration.ofMillis(random.nextInt(60_000_000)));
            LeaseTiming timing = LeaseTiming.plan(asked, needed, notAfter, traits, pricing);
            // It came into being some time after it was asked for, and was gone at the latest when it had to be.
            long span = Math.max(1, Duration.between(asked, timing.latestGone()).toMillis());
            Instant from = asked.plusMillis(random.nextLong(span));
            Instant gone = random.nextInt(4) == 0
                    ? timing.latestGone()
                    : from.plusMillis(random.nextLong(Math.max(
                            1, Duration.between(from, timing.latestGone()).toMillis())));
            Meter.Tariff tariff = new Meter.Tariff(
                    pricing.totalHourly().getAmount(),
                    increment.step().toSeconds(),
                    pricing.minimumBilling().toSeconds());

            BigDecimal billed = Meter.owed(tariff, from, Optional.of(gone), gone.plusSeconds(1_000_000));

            assertThat(timing.reserved().getAmount())
                    .as("%s %s", pricing, timing)
                    .isGreaterThanOrEqualTo(billed);
            assertThat(timing.deadline()).isBeforeOrEqualTo(notAfter);
            assertThat(timing.latestGone()).isAfterOrEqualTo(timing.deadline());
        }
    }

    @ParameterizedTest
    @CsvSource({
        // A night on which clocks go forward has 7 hours from 22:00 to 6:00, one on which they go back 9.
        "Europe/Berlin, 2026-03-28T22:00, 7",
        "Europe/Berlin, 2026-10-24T22:00, 9",
        "America/New_York, 2026-11-01T00:30, 9",
        "Asia/Shanghai, 2026-03-28T22:00, 8"
    })
    void anHourIsAnHourWhateverClocksAreDoing(String zone, LocalDateTime from, long hours) {
        ZoneId where = ZoneId.of(zone);
        Instant begin = from.atZone(where).toInstant();
        Instant end = from.plusHours(8).atZone(where).toInstant();
        Pricing pricing = Pricing.of(BigMoney.parse("CNY 3"), BillingIncrement.HOUR, Duration.ZERO);

        assertThat(LeaseTiming.cost(pricing, Duration.between(begin, end)).getAmount())
                .isEqualByComparingTo(BigDecimal.valueOf(3 * hours));
    }

    /** Steps by whole-number division, money as a fraction of two whole numbers, rounded at the very end. */
    private static BigDecimal independent(Pricing pricing, Duration existed) {
        BigInteger time = nanos(existed).max(nanos(pricing.minimumBilling()));
        BigInteger step = nanos(pricing.increment().step());
        BigInteger steps = time.add(step).subtract(BigInteger.ONE).divide(step);
        BigInteger seconds = steps.multiply(step).divide(NANOS);
        BigDecimal hourly =
                pricing.hourly().getAmount().add(pricing.storageHourly().getAmount());
        BigInteger numerator = hourly.movePointRight(10).toBigIntegerExact().multiply(seconds);
        BigInteger denominator = BigInteger.valueOf(3_600).multiply(BigInteger.TEN.pow(4));
        BigInteger[] micros = numerator.divideAndRemainder(denominator);
        return new BigDecimal(micros[1].signum() == 0 ? micros[0] : micros[0].add(BigInteger.ONE), 6);
    }

    private static BigInteger nanos(Duration d) {
        return BigInteger.valueOf(d.getSeconds()).multiply(NANOS).add(BigInteger.valueOf(d.getNano()));
    }

    private Pricing pricing(BillingIncrement increment) {
        Duration minimum = random.nextInt(3) == 0 ? Duration.ZERO : Duration.ofSeconds(random.nextInt(100_000));
        BigDecimal storage = random.nextBoolean() ? BigDecimal.ZERO : decimal(6, 10_000_000);
        return new Pricing(BigMoney.of(CNY, decimal(4, 10_000_000)), increment, minimum, BigMoney.of(CNY, storage));
    }

    /** Often right at a border, where mistakes are. */
    private Duration existed(BillingIncrement increment) {
        Duration border = increment.step().multipliedBy(random.nextInt(50));
        return switch (random.nextInt(4)) {
            case 0 -> border;
            case 1 -> border.plusNanos(1);
            case 2 -> border.isZero() ? border : border.minusNanos(1);
            default -> Duration.ofNanos(random.nextLong(400_000_000_000_000L));
        };
    }

    private BigDecimal decimal(int scale, int bound) {
        return BigDecimal.valueOf(random.nextInt(bound), scale);
    }

    private Capabilities traits() {
        Optional<Capabilities.ServerDeadline> deadline = random.nextBoolean()
                ? Optional.empty()
                : Optional.of(new Capabilities.ServerDeadline(
                        Duration.ofSeconds(random.nextInt(100)), Duration.ofSeconds(random.nextInt(400))));
        return new Capabilities(
                true,
                deadline,
                false,
                false,
                false,
                false,
                false,
                true,
                Duration.ofSeconds(random.nextInt(100)),
                Duration.ofSeconds(random.nextInt(600)),
                Duration.ofMinutes(5),
                Duration.ofSeconds(List.of(1, 5, 60).get(random.nextInt(3))),
                "");
    }
}
