package dev.seatrial.simulator.cloud;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a simulated machine does with the script that it is given for its first boot. No shell runs here: of all that a
 * script may say, a machine only knows how to shut itself down after a time, told by three assignments ({@code asked},
 * {@code length}, {@code most}: see the reference) in a script that calls {@code shutdown}.
 */
final class StartUp {
    private static final Pattern ASSIGNMENT = Pattern.compile("(?m)^(asked|length|most)=([0-9]{1,10})$");

    private StartUp() {}

    /**
     * When the machine shuts itself down; empty when the script says nothing of it.
     *
     * @param up when the script runs
     * @param clock what the machine's wall clock shows then
     */
    static Optional<Instant> shutsDown(String script, Instant up, Instant clock) {
        OptionalLong asked = OptionalLong.empty();
        OptionalLong length = OptionalLong.empty();
        OptionalLong most = OptionalLong.empty();
        for (Matcher m = ASSIGNMENT.matcher(script); m.find(); ) {
            OptionalLong value = OptionalLong.of(Long.parseLong(m.group(2)));
            switch (m.group(1)) {
                case "asked" -> asked = value;
                case "length" -> length = value;
                default -> most = value;
            }
        }
        if (!script.startsWith("#!") || !script.contains("shutdown") || asked.isEmpty() || length.isEmpty()) {
            return Optional.empty();
        }
        long late = clock.getEpochSecond() - asked.getAsLong();
        boolean believed = late >= 0 && late <= most.orElse(0);
        return Optional.of(up.plus(Duration.ofSeconds(Math.max(0, length.getAsLong() - (believed ? late : 0)))));
    }
}
