package dev.seatrial.simulator;

import java.nio.file.Path;
import java.time.InstantSource;

/**
 * How to start a simulator. It listens on loopback only.
 *
 * @param port of the vendor's API; 0 = any free one
 * @param profile how it behaves
 * @param clock everything it does follows this clock: it starts no timer of its own, so a clock that jumps is fine
 * @param apiKey bearer key of the one account
 * @param temporary folder in which machines' files are kept while it runs
 */
public record SimulatorOptions(int port, Profile profile, InstantSource clock, String apiKey, Path temporary) {
    public static final String DEFAULT_KEY = "sim-key";

    public SimulatorOptions {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port must be 0 to 65535: " + port);
        }
    }

    /** A built-in profile or a profile file, on a free port, at real speed. */
    public static SimulatorOptions of(String nameOrFile) {
        return new SimulatorOptions(
                0,
                Profiles.load(nameOrFile),
                InstantSource.system(),
                DEFAULT_KEY,
                Path.of(System.getProperty("java.io.tmpdir")));
    }

    public SimulatorOptions withPort(int value) {
        return new SimulatorOptions(value, profile, clock, apiKey, temporary);
    }

    public SimulatorOptions withProfile(Profile value) {
        return new SimulatorOptions(port, value, clock, apiKey, temporary);
    }

    public SimulatorOptions withClock(InstantSource value) {
        return new SimulatorOptions(port, profile, value, apiKey, temporary);
    }

    public SimulatorOptions withApiKey(String value) {
        return new SimulatorOptions(port, profile, clock, value, temporary);
    }

    public SimulatorOptions withTemporary(Path value) {
        return new SimulatorOptions(port, profile, clock, apiKey, value);
    }

    /** Never shows the key. */
    @Override
    public String toString() {
        return "SimulatorOptions[port=" + port + ", profile=" + profile.name() + "]";
    }
}
