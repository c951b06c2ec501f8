package dev.seatrial.app.remote;

import dev.seatrial.provider.SshEndpoint;
import java.util.Optional;

/** Our own proof that a machine is usable; a vendor's RUNNING is not. */
public interface MachineProbe {
    /**
     * Logs in and runs a trivial command, within 15 s.
     *
     * @param provider configured vendor account, which knows how to log in
     * @param lease lease id, whose key is used
     * @param endpoint where
     * @return empty when it works, else why not, in one line
     */
    Optional<String> check(String provider, String lease, SshEndpoint endpoint);
}
