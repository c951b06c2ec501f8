package dev.seatrial.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.simulator.cloud.Cloud;
import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.FaultRule;
import dev.seatrial.simulator.http.LoopbackServer;
import dev.seatrial.simulator.http.VendorApi;
import dev.seatrial.simulator.ssh.SshHosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;

/**
 * A vendor in a box, on loopback: its HTTP API, a machine with SSH for each instance, and a meter that bills until an
 * instance is really gone. All it does follows the clock it was given.
 */
public final class Simulator implements AutoCloseable {
    private final Profile profile;
    private final Cloud cloud;
    private final FaultBook faults;
    private final SshHosts hosts;
    private final LoopbackServer server;

    private Simulator(SimulatorOptions options) throws IOException {
        this.profile = options.profile();
        this.cloud = new Cloud(profile, options.clock());
        this.faults = new FaultBook(options.clock());
        profile.faults().forEach(faults::add);
        this.hosts = new SshHosts(profile, cloud, faults, options.clock(), options.temporary());
        VendorApi api = new VendorApi(profile, cloud, faults, hosts, options.clock(), options.apiKey());
        try {
            this.server = api.serve(options.port());
        } catch (IOException e) {
            hosts.close();
            throw e;
        }
    }

    /**
     * Starts one. It runs until closed, on daemon threads.
     *
     * @throws UncheckedIOException when the port is taken or the temporary folder cannot be written
     */
    public static Simulator start(SimulatorOptions options) {
        try {
            return new Simulator(options);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the simulator cannot start on port " + options.port() + ": " + e.getMessage(), e);
        }
    }

    /** Where its API is, without a trailing slash. */
    public URI baseUri() {
        return URI.create("http://127.0.0.1:" + VendorApi.port(server));
    }

    public Profile profile() {
        return profile;
    }

    /** The vendor's bill now. */
    public MeterReading meter() {
        return cloud.meter();
    }

    /**
     * Installs a fault, as {@code POST /sim/faults} does.
     *
     * @param json one rule
     * @throws IllegalArgumentException when it is not one
     */
    public void fault(String json) {
        try {
            faults.add(FaultRule.read(new ObjectMapper().readTree(json)));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a fault is a JSON object: " + e.getOriginalMessage());
        }
    }

    /** Takes every fault out again, those of the profile too. */
    public void clearFaults() {
        faults.clear();
    }

    @Override
    public void close() {
        try {
            server.close();
            hosts.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the simulator cannot be shut", e);
        }
    }
}
