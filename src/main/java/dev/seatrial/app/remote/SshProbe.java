package dev.seatrial.app.remote;

import dev.seatrial.provider.SshEndpoint;
import java.time.Duration;
import java.util.Optional;

/** Asks the machine for one word. */
public final class SshProbe implements MachineProbe {
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final String WORD = "seatrial-ok";

    private final Machines machines;

    public SshProbe(Machines machines) {
        this.machines = machines;
    }

    @Override
    public Optional<String> check(String provider, String lease, SshEndpoint endpoint) {
        try {
            Exec.Result result =
                    machines.of(provider, lease, Optional.of(endpoint)).exec(Exec.of("echo " + WORD, LIMIT));
            if (result.text().lines().map(String::strip).anyMatch(WORD::equals)) {
                return Optional.empty();
            }
            return Optional.of("the machine lets us in but runs no command: "
                    + Text.line(result.text() + " " + result.err(), 200));
        } catch (MachineException e) {
            return Optional.of(e.words());
        }
    }
}
