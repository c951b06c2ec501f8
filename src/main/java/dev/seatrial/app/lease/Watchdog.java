package dev.seatrial.app.lease;

import java.time.Duration;
import java.time.Instant;

/**
 * The start-up script with which a machine ends its own bill at its lease's deadline, whoever else is dead (law 2). Sent
 * only where shutting down inside ends the bill, which includes that such scripts run there as root.
 *
 * <p>It counts seconds of uptime, which no change of the wall clock moves. The wall clock is read once, to tell how long
 * the machine took to come up; where it cannot be right, that time is given to the machine. It looks at nothing else: a
 * machine that nobody talks to may be measuring. A machine that is started anew has lost it.
 */
final class Watchdog {
    private static final String SCRIPT = """
            #!/bin/sh
            # Shuts this machine down when its lease is over, also when nobody else can.
            # When it was asked for (epoch seconds); from then to the deadline, and longest until here (seconds).
            asked=%d
            length=%d
            most=%d
            [ "$(id -u)" = 0 ] || exit 0
            up() {
              read -r now rest </proc/uptime
              echo "${now%%%%.*}"
            }
            late=$(( $(date +%%s) - asked ))
            if [ "$late" -lt 0 ] || [ "$late" -gt "$most" ]; then
              late=0
            fi
            end=$(( $(up) + length - late ))
            (
              trap '' HUP
              # A benchmark that takes all memory must not take the watchdog with it.
              echo -1000 >/proc/self/oom_score_adj || :
              while left=$(( end - $(up) )); [ "$left" -gt 0 ]; do
                [ "$left" -gt 30 ] && left=30
                sleep "$left"
              done
              while :; do
                for how in 'shutdown -h now' poweroff 'halt -p' 'poweroff -f'; do
                  $how
                  sleep 20
                done
                echo o >/proc/sysrq-trigger
              done
            ) </dev/null >/dev/null 2>&1 &
            exit 0
            """;

    private Watchdog() {}

    /**
     * The script; the same for every send of one request, as vendors want it.
     *
     * @param asked when the machine was asked for, at the earliest
     * @param deadline when it must shut down
     * @param provisioning how long it may take to come up, at most
     */
    static String script(Instant asked, Instant deadline, Duration provisioning) {
        // Whole numbers only: nothing in it needs quoting.
        return SCRIPT.formatted(
                asked.getEpochSecond(),
                Math.max(0, deadline.getEpochSecond() - asked.getEpochSecond()),
                provisioning.toSeconds());
    }
}
