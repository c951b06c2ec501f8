package dev.seatrial.app.cli;

import dev.seatrial.app.lease.ReleaseStep;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Repeats a release step until gone or out of patience. */
final class Steps {
    private Steps() {}

    /** @return {@link ExitCode#OK} when gone, {@link ExitCode#NOT_RELEASED} when patience ended first */
    static int until(Duration patience, Supplier<ReleaseStep> step, Consumer<ReleaseStep> tell, Runnable gone) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            ReleaseStep now = step.get();
            tell.accept(now);
            if (now instanceof ReleaseStep.NotYetGone later) {
                if (System.nanoTime() > end) {
                    return ExitCode.NOT_RELEASED;
                }
                pause(later.after());
            } else {
                gone.run();
                return ExitCode.OK;
            }
        }
    }

    static void pause(Duration d) {
        try {
            Thread.sleep(d.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
