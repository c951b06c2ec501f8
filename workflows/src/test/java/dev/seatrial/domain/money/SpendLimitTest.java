package dev.seatrial.domain.money;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimit.Window;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.Pricing;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SpendLimitTest {
    private static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai");

    @Test
    void aDayBeginsAtTheZonesMidnight() {
        Instant evening = Instant.parse("2026-11-30T15:59:59Z");

        assertThat(windows(Period.DAY, evening, evening, SHANGHAI))
                .containsExactly(window("2026-11-29T16:00:00Z", "2026-11-30T16:00:00Z"));
        assertThat(windows(Period.DAY, evening.plusSeconds(1), evening.plusSeconds(1), SHANGHAI))
                .containsExactly(window("2026-11-30T16:00:00Z", "2026-12-01T16:00:00Z"));
        assertThat(windows(Period.DAY, evening, evening, ZoneOffset.UTC))
                .containsExactly(window("2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z"));
    }

    @Test
    void aStretchTouchesEveryWindowThatItReachesInto() {
        Instant from = Instant.parse("2026-12-31T15:00:00Z");

        assertThat(windows(Period.MONTH, from, from.plus(Duration.ofHours(2)), SHANGHAI))
                .containsExactly(
                        window("2026-11-30T16:00:00Z", "2026-12-31T16:00:00Z"),
                        window("2026-12-31T16:00:00Z", "2027-01-31T16:00:00Z"));
        assertThat(windows(Period.DAY, from, from.plus(Duration.ofHours(26)), SHANGHAI))
                .hasSize(3);
        assertThat(windows(Period.DAY, from, Instant.parse("2026-12-31T16:00:00Z"), SHANGHAI))
                .as("the end itself belongs to the next")
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        // Clocks forward: 23 hours; back: 25; by half an hour; at midnight itself, so that the day begins at one.
        "Europe/Berlin,       2026-03-29T10:00, 23:00",
        "Europe/Berlin,       2026-10-25T10:00, 25:00",
        "Australia/Lord_Howe, 2026-10-04T10:00, 23:30",
        "America/Santiago,    2026-09-06T10:00, 23:00",
        "Africa/Cairo,        2026-04-24T10:00, 23:00",
        "Asia/Shanghai,       2026-03-29T10:00, 24:00"
    })
    void aDayOnWhichClocksAreChangedIsAsLongAsItIs(String zone, LocalDateTime noon, String hours) {
        Instant at = noon.atZone(ZoneId.of(zone)).toInstant();
        Window day = windows(Period.DAY, at, at, ZoneId.of(zone)).get(0);

        String[] parts = hours.split(":");
        assertThat(Duration.between(day.from(), day.to()))
                .isEqualTo(Duration.ofHours(Long.parseLong(parts[0])).plusMinutes(Long.parseLong(parts[1])));
    }

    @ParameterizedTest
    @EnumSource(value = Period.class, names = "BALANCE", mode = EnumSource.Mode.EXCLUDE)
    void windowsFollowEachOtherWithoutGapOrOverlap(Period period) {
        for (String zone : List.of("Asia/Shanghai", "Europe/Berlin", "America/Santiago", "Pacific/Apia", "UTC")) {
            Instant from = Instant.parse("2011-12-01T00:00:00Z");
            List<Window> all = windows(period, from, from.plus(Duration.ofDays(800)), ZoneId.of(zone));

            assertThat(all.get(0).from()).isBeforeOrEqualTo(from);
            for (int i = 1; i < all.size(); i++) {
                assertThat(all.get(i).from()).as(zone).isEqualTo(all.get(i - 1).to());
                // A whole date is missing at Apia in 2011; it is no window of its own.
                assertThat(all.get(i).to()).as(zone).isAfterOrEqualTo(all.get(i).from());
            }
            assertThat(all.get(all.size() - 1).to()).isAfterOrEqualTo(from.plus(Duration.ofDays(800)));
        }
    }

    @Test
    void moneyCountsWhenTheVendorBeginsToBillIt() {
        Instant from = Instant.parse("2026-11-30T15:30:00Z");
        Instant to = Instant.parse("2026-11-30T18:00:00Z");
        List<Window> days = windows(Period.DAY, from, to, SHANGHAI);

        assertThat(parts(BillingIncrement.SECOND, Duration.ZERO, from, to, days))
                .containsExactly("0.500000", "2.000000");
        assertThat(parts(BillingIncrement.HOUR, Duration.ZERO, from, to, days)).containsExactly("0.833334", "1.666666");
        assertThat(parts(BillingIncrement.DAY, Duration.ZERO, from, to, days)).containsExactly("2.500000", "0.000000");
        assertThat(parts(BillingIncrement.SECOND, Duration.ofHours(2), from, to, days))
                .as("a minimum counts at its beginning")
                .containsExactly("2.000000", "0.500000");
    }

    @Test
    void thePartsAreTheWholeWhateverTheBilling() {
        Random random = new Random(4);
        for (int i = 0; i < 2_000; i++) {
            ZoneId zone = ZoneId.of(List.of("Asia/Shanghai", "Europe/Berlin", "America/Santiago")
                    .get(random.nextInt(3)));
            Instant from = Instant.ofEpochMilli(1_700_000_000_000L + random.nextLong(60_000_000_000L));
            Instant to = from.plusMillis(1 + random.nextLong(400_000_000));
            BillingIncrement increment = BillingIncrement.values()[random.nextInt(4)];
            Pricing pricing =
                    Pricing.of(BigMoney.parse("CNY 9"), increment, Duration.ofSeconds(random.nextInt(100_000)));
            BigMoney total = BigMoney.ofMinor(org.joda.money.CurrencyUnit.of("CNY"), random.nextInt(1_000_000));
            Accrual accrual = new Accrual(pricing, from, to, total);
            Period period = random.nextBoolean() ? Period.DAY : Period.MONTH;

            List<BigMoney> parts =
                    windows(period, from, to, zone).stream().map(accrual::in).toList();

            assertThat(parts).allSatisfy(p -> assertThat(p.isNegative()).isFalse());
            assertThat(parts.stream().reduce(BigMoney::plus).orElseThrow()).isEqualByComparingTo(total);
        }
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        BigMoney minus = BigMoney.parse("CNY -1");
        assertThatThrownBy(() -> new SpendLimit(Optional.empty(), Period.DAY, minus))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SpendLimit(Optional.empty(), Period.BALANCE, BigMoney.parse("CNY 1")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static List<String> parts(
            BillingIncrement increment, Duration minimum, Instant from, Instant to, List<Window> windows) {
        Pricing pricing = Pricing.of(BigMoney.parse("CNY 1"), increment, minimum);
        Accrual accrual = new Accrual(pricing, from, to, BigMoney.parse("CNY 2.5"));
        return windows.stream()
                .map(w -> accrual.in(w).withScale(6).getAmount().toPlainString())
                .toList();
    }

    private static List<Window> windows(Period period, Instant from, Instant to, ZoneId zone) {
        return new SpendLimit(Optional.empty(), period, BigMoney.parse("CNY 1")).windows(from, to, zone);
    }

    private static Window window(String from, String to) {
        return new Window(Instant.parse(from), Instant.parse(to));
    }
}
