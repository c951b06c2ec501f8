package dev.seatrial.simulator.ssh;

import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.FaultRule;
import dev.seatrial.simulator.cloud.SimInstance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.file.virtualfs.VirtualFileSystemFactory;
import org.apache.sshd.common.io.nio2.Nio2ServiceFactoryFactory;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.util.threads.CloseableExecutorService;
import org.apache.sshd.common.util.threads.ThreadUtils;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.PublickeyAuthenticator;
import org.apache.sshd.server.command.AbstractCommandSupport;
import org.apache.sshd.server.session.ServerSession;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;

/** One machine's SSH server: its own host key, public-key login only, a folder as its file system. */
final class SshHost {
    private static final AttributeKey<FaultBook.Meeting> LOGIN = new AttributeKey<>();

    private final SimInstance instance;
    private final Path root;
    private final VirtualShell shell;
    private final BooleanSupplier up;
    private final FaultBook faults;
    private final CloseableExecutorService threads;
    private final SshServer server;

    SshHost(
            SimInstance instance,
            Path root,
            VirtualShell shell,
            BooleanSupplier up,
            FaultBook faults,
            CloseableExecutorService threads,
            ScheduledExecutorService timer)
            throws IOException {
        this.instance = instance;
        this.root = root;
        this.shell = shell;
        this.up = up;
        this.faults = faults;
        this.threads = ThreadUtils.noClose(threads);
        this.server = SshServer.setUpDefaultServer();
        server.setHost("127.0.0.1");
        server.setPort(0);
        server.setScheduledExecutorService(timer);
        server.setIoServiceFactoryFactory(new Nio2ServiceFactoryFactory(() -> this.threads));
        server.setKeyPairProvider(hostKey());
        server.setPublickeyAuthenticator(authenticator());
        server.setFileSystemFactory(new VirtualFileSystemFactory(root));
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory.Builder()
                .withExecutorServiceProvider(() -> this.threads)
                .build()));
        server.setCommandFactory((channel, line) -> new Command(line));
        server.start();
    }

    SimInstance instance() {
        return instance;
    }

    int port() {
        return server.getPort();
    }

    void close() {
        try {
            server.stop(true);
            VirtualShell.delete(root);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot shut a simulated machine", e);
        }
    }

    private static KeyPairProvider hostKey() throws IOException {
        try {
            return KeyPairProvider.wrap(KeyUtils.generateKeyPair("ecdsa-sha2-nistp256", 256));
        } catch (GeneralSecurityException e) {
            throw new IOException("no host key can be made", e);
        }
    }

    private PublickeyAuthenticator authenticator() {
        return (user, key, session) -> {
            // A client asks for each key twice, before and with its signature: one login all the same.
            FaultBook.Meeting meeting = session.computeAttributeIfAbsent(LOGIN, ignored -> {
                FaultBook.Meeting met = faults.meet(FaultRule.Operation.LOGIN, subject());
                pause(met.delay());
                return met;
            });
            Optional<FaultRule> spoiler = meeting.spoiler();
            if (!up.getAsBoolean()
                    || spoiler.filter(rule -> rule.action() == FaultRule.Action.DROP)
                            .isPresent()) {
                session.close(true);
                return false;
            }
            return spoiler.isEmpty() && SshHosts.USER.equals(user) && registered(key);
        };
    }

    private boolean registered(PublicKey key) {
        try {
            PublicKey known =
                    PublicKeyEntry.parsePublicKeyEntry(instance.publicKey()).resolvePublicKey(null, null, null);
            return KeyUtils.compareKeys(known, key);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            // What was registered is no key: nobody gets in, as on a real machine.
            return false;
        }
    }

    private String subject() {
        return instance.name() + " " + instance.id();
    }

    private static void pause(Duration delay) {
        try {
            Thread.sleep(delay.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Command extends AbstractCommandSupport {
        private final String line;

        Command(String line) {
            super(line, threads);
            this.line = line;
        }

        @Override
        public void run() {
            FaultBook.Meeting meeting = faults.meet(FaultRule.Operation.SSH, subject() + " " + line);
            pause(meeting.delay());
            ServerSession session = getServerSession();
            Optional<FaultRule> spoiler = meeting.spoiler();
            try {
                if (!up.getAsBoolean()) {
                    session.close(true);
                    return;
                }
                if (meeting.change(FaultRule.Action.NOISE).isPresent()) {
                    getOutputStream()
                            .write("*** Welcome to a simulated machine ***\n".getBytes(StandardCharsets.UTF_8));
                }
                boolean run = spoiler.isEmpty() || spoiler.get().effect() == FaultRule.Effect.BEFORE;
                int status = run ? shell.run(line, streams()) : 0;
                if (spoiler.isEmpty()) {
                    finish(status);
                } else if (spoiler.get().action() == FaultRule.Action.DROP) {
                    session.close(true);
                } else {
                    getErrorStream().write((spoiler.get().message() + "\n").getBytes(StandardCharsets.UTF_8));
                    finish(spoiler.get().status());
                }
            } catch (IOException e) {
                // The client hung up in the middle: there is nobody to tell.
                onExit(1);
            }
        }

        private VirtualShell.Streams streams() {
            return new VirtualShell.Streams(getInputStream(), getOutputStream(), getErrorStream());
        }

        private void finish(int status) throws IOException {
            getOutputStream().flush();
            getErrorStream().flush();
            onExit(status);
        }
    }
}
