package dev.seatrial.app.remote;

import dev.seatrial.app.remote.MachineException.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.net.UnknownHostException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.sshd.client.ClientBuilder;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.auth.keyboard.UserAuthKeyboardInteractiveFactory;
import org.apache.sshd.client.auth.password.PasswordIdentityProvider;
import org.apache.sshd.client.auth.password.UserAuthPasswordFactory;
import org.apache.sshd.client.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.client.session.forward.ExplicitPortForwardingTracker;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.cipher.Cipher;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.common.util.net.SshdSocketAddress;
import org.apache.sshd.core.CoreModuleProperties;

/** Opens sessions to one host, by way of another where there is one. Reads neither ~/.ssh/config nor known_hosts. */
final class SshConnector {
    private static final AttributeKey<Check> CHECK = new AttributeKey<>();

    private final Hop target;
    private final Optional<Hop> jump;
    private final Duration timeout;

    /** @param timeout for connecting and for logging in, each, per hop */
    SshConnector(Hop target, Optional<Hop> jump, Duration timeout) {
        this.target = target;
        this.jump = jump;
        this.timeout = timeout;
    }

    /**
     * One host on the way.
     *
     * @param login address, user, password, fingerprint
     * @param identities keys to log in with
     * @param pins where first-seen host keys are kept
     * @param pinName under which name
     */
    record Hop(SshTarget.Login login, Identities identities, HostKeyPins pins, String pinName) {}

    /**
     * A host key.
     *
     * @param fingerprint {@code SHA256:…}
     * @param firstUse whether it is trusted because it was the first one seen, not because the user named it
     */
    record HostKey(String fingerprint, boolean firstUse) {}

    SshConnection connect() throws MachineException {
        MachineException wrong = null;
        // A host has several keys and the user named one of them: ask for each kind before calling it a stranger.
        for (String kind : target.login.fingerprint().isPresent() ? List.of("ed25519", "ecdsa", "rsa") : List.of("")) {
            try {
                return connect(kind);
            } catch (MachineException e) {
                if (e.kind() != Kind.HOST_KEY) {
                    throw wrong != null ? wrong : e;
                }
                wrong = wrong == null ? e : wrong;
            }
        }
        throw wrong == null ? new MachineException(Kind.UNREACHABLE, "not connected") : wrong;
    }

    private SshConnection connect(String kind) throws MachineException {
        List<Closeable> carriers = new ArrayList<>();
        boolean done = false;
        try {
            String host = target.login.host();
            int port = target.login.port();
            if (jump.isPresent()) {
                SshClient client = client("");
                carriers.add(client);
                ClientSession way = login(
                        client,
                        jump.get(),
                        jump.get().login.host(),
                        jump.get().login.port());
                carriers.add(way);
                ExplicitPortForwardingTracker tunnel = way.createLocalPortForwardingTracker(
                        new SshdSocketAddress("127.0.0.1", 0), new SshdSocketAddress(host, port));
                carriers.add(tunnel);
                host = "127.0.0.1";
                port = tunnel.getBoundAddress().getPort();
            }
            SshClient client = client(kind);
            carriers.add(client);
            ClientSession session = login(client, target, host, port);
            done = true;
            return new SshConnection(session, check(session).seen(), carriers);
        } catch (MachineException e) {
            throw e;
        } catch (IOException e) {
            throw new MachineException(
                    Kind.UNREACHABLE,
                    "no way through " + jump.map(j -> j.login.toString()).orElse("") + ": " + words(e),
                    e);
        } finally {
            if (!done) {
                SshConnection.closeAll(carriers);
            }
        }
    }

    private ClientSession login(SshClient client, Hop hop, String host, int port) throws MachineException {
        List<KeyPair> keys = hop.identities.load();
        Check check = new Check(hop);
        ClientSession session = null;
        boolean done = false;
        boolean connected = false;
        try {
            session = client.connect(
                            hop.login.user(), host, port, AttributeRepository.ofKeyValuePair(CHECK, check), null)
                    .verify(timeout)
                    .getSession();
            keys.forEach(session::addPublicKeyIdentity);
            hop.login.password().ifPresent(session::addPasswordIdentity);
            connected = true;
            session.auth().verify(timeout);
            check.accepted();
            done = true;
            return session;
        } catch (IOException e) {
            throw failure(hop, check, connected && session != null && check.passed(), keys, e);
        } finally {
            if (!done && session != null) {
                session.close(true);
            }
        }
    }

    private MachineException failure(Hop hop, Check check, boolean keyKnown, List<KeyPair> keys, IOException e) {
        String where = hop.login.toString();
        Optional<String> stranger = check.refused();
        if (stranger.isPresent()) {
            return new MachineException(
                    Kind.HOST_KEY,
                    where + " shows host key " + stranger.get() + ", expected "
                            + check.expected().orElse("another") + ": this may be another machine",
                    e);
        }
        boolean denied = keyKnown && words(e).contains("No more authentication methods");
        if (denied) {
            String with = keys.isEmpty() && hop.login.password().isEmpty()
                    ? "there was no key or password to try"
                    : "it took neither of " + keys.size() + " keys"
                            + (hop.login.password().isPresent() ? " and a password" : "");
            return new MachineException(Kind.AUTH, where + " refused the login; " + with, e);
        }
        return new MachineException(Kind.UNREACHABLE, where + ": " + words(e), e);
    }

    private static String words(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = root.getMessage() == null ? e.getMessage() : root.getMessage();
        return root instanceof UnknownHostException || root instanceof java.nio.channels.UnresolvedAddressException
                ? "no such host"
                : message == null ? root.getClass().getSimpleName() : message;
    }

    private static Check check(ClientSession session) {
        Check check = session.getConnectionContext().getAttribute(CHECK);
        if (check == null) {
            throw new IllegalStateException("a session without its check");
        }
        return check;
    }

    /** @param kind host keys to ask for; empty = any, Ed25519 first as OpenSSH does */
    private SshClient client(String kind) {
        SshClient client = ClientBuilder.builder()
                .hostConfigEntryResolver(HostConfigEntryResolver.EMPTY)
                .serverKeyVerifier((session, address, key) ->
                        check(session).verify(KeyUtils.getFingerPrint(BuiltinDigests.sha256, key)))
                .build();
        List<NamedFactory<Signature>> all = new ArrayList<>(client.getSignatureFactories());
        // The list is used for host keys; logging in must not be narrowed with it.
        client.setUserAuthFactories(List.of(
                new UserAuthPublicKeyFactory(List.copyOf(all)),
                UserAuthKeyboardInteractiveFactory.INSTANCE,
                UserAuthPasswordFactory.INSTANCE));
        List<NamedFactory<Signature>> wanted = new ArrayList<>();
        all.stream().filter(named("ed25519")).forEach(wanted::add);
        all.stream().filter(named("ed25519").negate()).forEach(wanted::add);
        if (!kind.isEmpty()) {
            wanted.removeIf(named(kind).negate());
        }
        client.setSignatureFactories(wanted);
        // Processors do AES-GCM in hardware; with ChaCha20 first, our own side would be what a transfer measures.
        List<NamedFactory<Cipher>> ciphers = new ArrayList<>(client.getCipherFactories());
        ciphers.sort(Comparator.comparing(c -> !c.getName().contains("gcm")));
        client.setCipherFactories(ciphers);
        client.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
        client.setPasswordIdentityProvider(PasswordIdentityProvider.EMPTY_PASSWORDS_PROVIDER);
        client.setNioWorkers(2);
        CoreModuleProperties.IO_CONNECT_TIMEOUT.set(client, timeout);
        CoreModuleProperties.AUTH_TIMEOUT.set(client, timeout.multipliedBy(2));
        CoreModuleProperties.IDLE_TIMEOUT.set(client, Duration.ZERO);
        CoreModuleProperties.TCP_NODELAY.set(client, true);
        CoreModuleProperties.SOCKET_KEEPALIVE.set(client, true);
        CoreModuleProperties.HEARTBEAT_INTERVAL.set(client, Duration.ofSeconds(15));
        CoreModuleProperties.HEARTBEAT_NO_REPLY_MAX.set(client, 3);
        client.start();
        return client;
    }

    private static Predicate<NamedFactory<Signature>> named(String kind) {
        return f -> f.getName().contains(kind);
    }

    /** Judges the host key of one connection. */
    private static final class Check {
        private final Hop hop;
        private final AtomicReference<String> shown = new AtomicReference<>("");

        Check(Hop hop) {
            this.hop = hop;
        }

        Optional<String> expected() {
            return hop.login.fingerprint().or(() -> hop.pins.pinned(hop.pinName));
        }

        boolean verify(String fingerprint) {
            shown.set(fingerprint);
            return passed();
        }

        boolean passed() {
            return !shown.get().isEmpty()
                    && expected().map(e -> same(e, shown.get())).orElse(true);
        }

        Optional<String> refused() {
            return shown.get().isEmpty() || passed() ? Optional.empty() : Optional.of(shown.get());
        }

        /** Pins only after the login: some images make their host keys anew during the first boot. */
        void accepted() {
            if (hop.login.fingerprint().isEmpty()) {
                hop.pins.pin(hop.pinName, shown.get());
            }
        }

        HostKey seen() {
            return new HostKey(shown.get(), hop.login.fingerprint().isEmpty());
        }

        private static boolean same(String a, String b) {
            return a.replace("=", "").equals(b.replace("=", ""));
        }
    }
}
