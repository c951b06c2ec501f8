package dev.seatrial.app.remote;

import dev.seatrial.app.remote.SshConnector.Hop;
import dev.seatrial.provider.SshEndpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Opens the right machine for a lease and keeps its one session. Thread-safe. */
public final class Machines implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(6);

    private final FileLeaseKeys keys;
    private final Function<String, Optional<Target>> handedOver;
    private final Map<Key, Machine> open = new ConcurrentHashMap<>();

    private record Key(String provider, String lease, Optional<SshEndpoint> endpoint) {}

    /**
     * @param keys keys of leases and pinned host keys
     * @param handedOver the configured machine of a provider of kind {@code ssh} or {@code local}; empty for vendors
     */
    public Machines(FileLeaseKeys keys, Function<String, Optional<Target>> handedOver) {
        this.keys = keys;
        this.handedOver = handedOver;
        keys.onForget(this::close);
    }

    /** The machine that was handed over under this provider's name; empty for a vendor. */
    public Optional<Target> target(String provider) {
        return handedOver.apply(provider);
    }

    /**
     * The machine of a lease; the same object, with its session, until {@link #close(String)}. Does not connect yet.
     *
     * @param endpoint where a rented machine's SSH listens; not used for handed-over ones
     * @throws MachineException when it is rented and there is no endpoint
     */
    public Machine of(String provider, String lease, Optional<SshEndpoint> endpoint) throws MachineException {
        Optional<Target> target = target(provider);
        if (target.isEmpty() && endpoint.isEmpty()) {
            throw new MachineException(
                    MachineException.Kind.UNREACHABLE, "the vendor has not said yet where SSH listens");
        }
        Key key = new Key(provider, lease, target.isPresent() ? Optional.empty() : endpoint);
        return open.computeIfAbsent(
                key, k -> target.map(t -> handedOver(t, lease)).orElseGet(() -> rented(lease, endpoint.orElseThrow())));
    }

    /** Ends the sessions that were opened under a name, and forgets its pins and keys. */
    void forget(String name) {
        keys.forget(name);
    }

    /** Ends the sessions of a lease. */
    public void close(String lease) {
        for (Key key : open.keySet()) {
            if (key.lease.equals(lease)) {
                Optional.ofNullable(open.remove(key)).ifPresent(Machine::close);
            }
        }
    }

    @Override
    public void close() {
        for (Key key : open.keySet()) {
            close(key.lease);
        }
    }

    private Machine handedOver(Target target, String lease) {
        if (target instanceof SshTarget ssh) {
            Hop hop = hop(ssh.login(), lease);
            Optional<Hop> jump = ssh.jump().map(j -> hop(j, lease + ".jump"));
            return new SshMachine(new SshConnector(hop, jump, CONNECT));
        }
        return new LocalMachine();
    }

    private Hop hop(SshTarget.Login login, String pinName) {
        boolean nothing = login.key().isEmpty() && login.password().isEmpty();
        Identities identities = login.key()
                .map(k -> Identities.file(k, login.passphrase()))
                .orElseGet(() -> nothing
                        ? Identities.usual(Path.of(System.getProperty("user.home"), ".ssh"))
                        : java.util.List::of);
        return new Hop(login, identities, keys, pinName);
    }

    private Machine rented(String lease, SshEndpoint at) {
        SshTarget.Login login = new SshTarget.Login(
                at.host(),
                at.port(),
                at.user(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return new SshMachine(new SshConnector(
                new Hop(login, Identities.of(keys.keyPair(lease)), keys, lease), Optional.empty(), CONNECT));
    }
}
