package dev.seatrial.app.cli;

import dev.seatrial.app.lease.ReleaseStep;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Repeats a release step until gone or out of patience. */
final class Steps {
    private Steps() {}

    /** @return whether it is gone; false when patience ended first or nobody waits any more */
    static boolean until(Duration patience, Supplier<ReleaseStep> step, Consumer<ReleaseStep> tell) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            ReleaseStep now = step.get();
            tell.accept(now);
            if (!(now instanceof ReleaseStep.NotYetGone later)) {
                return true;
            }
            if (System.nanoTime() > end || !pause(later.after())) {
                return false;
            }
        }
    }

    /** @return false when this thread was interrupted */
    static boolean pause(Duration d) {
        try {
            Thread.sleep(d.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
