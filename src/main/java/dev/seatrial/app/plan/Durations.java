package dev.seatrial.app.plan;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as plans write them: {@code 90s}, {@code 20m}, {@code 1h30m}, {@code 2d}. */
public final class Durations {
    private static final Pattern FORM =
            Pattern.compile("(?=[0-9])(?:([0-9]{1,4})d)?(?:([0-9]{1,5})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,7})s)?");

    private Durations() {}

    /** Empty when the text has another form. */
    public static Optional<Duration> parse(String text) {
        Matcher m = FORM.matcher(text);
        return m.matches()
                ? Optional.of(Duration.ofDays(part(m, 1))
                        .plusHours(part(m, 2))
                        .plusMinutes(part(m, 3))
                        .plusSeconds(part(m, 4)))
                : Optional.empty();
    }

    /** The shortest text that {@link #parse} reads back; parts of a second are rounded up. */
    public static String format(Duration duration) {
        long seconds = duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
        if (seconds == 0) {
            return "0s";
        }
        long hours = seconds / 3600;
        long minutes = seconds % 3600 / 60;
        return (hours > 0 ? hours + "h" : "")
                + (minutes > 0 ? minutes + "m" : "")
                + (seconds % 60 > 0 ? seconds % 60 + "s" : "");
    }

    private static long part(Matcher m, int group) {
        return m.group(group) == null ? 0 : Long.parseLong(m.group(group));
    }
}
