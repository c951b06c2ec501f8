package dev.seatrial.app.cli;

import java.time.Duration;

/** How long to wait for releases. */
final class Patience {
    private Patience() {}

    static Duration ofMinutes(int minutes, String option, Ui ui) throws Problem {
        if (minutes < 0) {
            throw new Problem(ExitCode.USAGE, ui.say("number.range", option, 0, minutes));
        }
        return Duration.ofMinutes(minutes);
    }
}
