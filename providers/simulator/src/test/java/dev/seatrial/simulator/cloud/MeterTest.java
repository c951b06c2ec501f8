package dev.seatrial.simulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeterTest {
    private static final Instant FROM = Instant.parse("2026-03-29T00:00:00Z");

    @ParameterizedTest(name = "{0} ms at {1}/h, steps of {2} s, at least {3} s = {4}")
    @CsvSource({
        "0,        36, 1,     0,    0.000000",
        "1,        36, 1,     0,    0.010000",
        "1000,     36, 1,     0,    0.010000",
        "1001,     36, 1,     0,    0.020000",
        "59999,    60, 60,    0,    1.000000",
        "60001,    60, 60,    0,    2.000000",
        "3600000,  68, 3600,  0,    68.000000",
        "3600001,  68, 3600,  0,    136.000000",
        "1000,     9,  1,     600,  1.500000",
        "1000,     9,  3600,  600,  9.000000",
        "90000000, 10, 86400, 0,    480.000000",
        "1000,     1,  1,     0,    0.000278"
    })
    void billsWholeStepsAndTheMinimum(long millis, BigDecimal hourly, long step, long minimum, BigDecimal owed) {
        Meter.Tariff tariff = new Meter.Tariff(hourly, step, minimum);
        Instant gone = FROM.plusMillis(millis);
        assertThat(Meter.owed(tariff, FROM, Optional.of(gone), gone.plusSeconds(9999)))
                .isEqualTo(owed);
        assertThat(Meter.owed(tariff, FROM, Optional.empty(), gone)).isEqualTo(owed);
    }

    @Test
    void runsUntilItIsReallyGone() {
        Meter.Tariff tariff = new Meter.Tariff(new BigDecimal("3600"), 1, 0);
        Optional<Instant> gone = Optional.of(FROM.plusSeconds(10));
        assertThat(Meter.owed(tariff, FROM, gone, FROM.plusSeconds(4))).isEqualByComparingTo("4");
        assertThat(Meter.owed(tariff, FROM, gone, FROM.plusSeconds(400))).isEqualByComparingTo("10");
    }

    @Test
    void whatIsNotThereYetOwesNothing() {
        Meter.Tariff tariff = new Meter.Tariff(BigDecimal.TEN, 1, 600);
        assertThat(Meter.owed(tariff, FROM, Optional.empty(), FROM.minus(Duration.ofMillis(1))))
                .isZero();
    }

    @Test
    void aFractionOfAMillisecondCounts() {
        Meter.Tariff tariff = new Meter.Tariff(new BigDecimal("3600"), 1, 0);
        Instant gone = FROM.plusSeconds(1).plusNanos(1);
        assertThat(Meter.owed(tariff, FROM, Optional.of(gone), gone)).isEqualByComparingTo("2");
    }
}
