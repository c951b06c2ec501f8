package dev.seatrial.app.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Moments and lengths of time in words. All moments are UTC and say so. */
final class Times {
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Times() {}

    static String moment(Instant at) {
        return MOMENT.format(at);
    }

    static String clock(Instant at) {
        return CLOCK.format(at);
    }

    static String took(Messages m, Instant from, Instant to) {
        Duration d = Duration.between(from, to);
        if (d.isNegative()) {
            return "–";
        }
        if (d.toSeconds() < 60) {
            return m.text("took.seconds", d.toMillis() < 10_000 ? tenths(d) : String.valueOf(d.toSeconds()));
        }
        return d.toHours() == 0
                ? m.text("took.minutes", d.toMinutes(), d.toSecondsPart())
                : m.text("took.hours", d.toHours(), d.toMinutesPart());
    }

    private static String tenths(Duration d) {
        return String.format(Locale.ROOT, "%.1f", d.toMillis() / 1000.0);
    }
}
