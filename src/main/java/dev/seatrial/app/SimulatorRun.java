package dev.seatrial.app;

import dev.seatrial.simulator.Profiles;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import java.net.URI;

/** The simulated cloud as a process of its own. */
public final class SimulatorRun implements AutoCloseable {
    private final Simulator simulator;

    private SimulatorRun(Simulator simulator) {
        this.simulator = simulator;
    }

    /** @throws IllegalArgumentException for a profile that is not there or cannot be read, in plain words */
    public static SimulatorRun start(int port, String profile) {
        try {
            return new SimulatorRun(Simulator.start(SimulatorOptions.of(profile).withPort(port)));
        } catch (Profiles.ProfileException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    public URI uri() {
        return simulator.baseUri();
    }

    @Override
    public void close() {
        simulator.close();
    }
}
