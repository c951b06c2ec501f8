package dev.seatrial.simulator.ssh;

import dev.seatrial.simulator.Profile;
import dev.seatrial.simulator.cloud.Cloud;
import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.FaultRule;
import dev.seatrial.simulator.cloud.SimInstance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PublicKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.file.FileSystemFactory;
import org.apache.sshd.common.file.root.RootedFileSystemProvider;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.SessionContext;
import org.apache.sshd.common.util.threads.CloseableExecutorService;
import org.apache.sshd.common.util.threads.SshThreadPoolExecutor;
import org.apache.sshd.common.util.threads.ThreadUtils;
import org.apache.sshd.server.session.ServerSession;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;

/** The machines behind SSH: one port of loopback each, opened once somebody asks for a machine that is up. */
public final class SshHosts implements AutoCloseable {
    /** The one user that may log in. */
    public static final String USER = "root";

    /** Where a machine pretends to be whose SSH never answers: nothing listens there. */
    private static final int CLOSED_PORT = 9;

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final AttributeKey<FaultBook.Meeting> LOGIN = new AttributeKey<>();

    private final Profile profile;
    private final Cloud cloud;
    private final FaultBook faults;
    private final InstantSource clock;
    private final Path folder;
    private final Map<String, Machine> byInstance = new HashMap<>();
    private final Map<Integer, Machine> byPort = new HashMap<>();
    private final CloseableExecutorService threads;
    private final ScheduledExecutorService timer;
    private final SshGate gate;

    /** @param temporary folder under which machines keep their files */
    public SshHosts(Profile profile, Cloud cloud, FaultBook faults, InstantSource clock, Path temporary)
            throws IOException {
        this.profile = profile;
        this.cloud = cloud;
        this.faults = faults;
        this.clock = clock;
        this.folder = Files.createTempDirectory(temporary, "seatrial-simulator-");
        ThreadFactory daemons = work -> {
            Thread thread = new Thread(work, "simulator-ssh");
            thread.setDaemon(true);
            return thread;
        };
        this.threads = new SshThreadPoolExecutor(
                0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons);
        this.timer = Executors.newSingleThreadScheduledExecutor(daemons);
        this.gate = SshGate.create(daemons, timer);
        gate.setKeyPairProvider(new HostKeys());
        gate.setPublickeyAuthenticator(this::mayEnter);
        gate.setFileSystemFactory(new Roots());
        gate.setSubsystemFactories(List.of(new SftpSubsystemFactory.Builder()
                .withExecutorServiceProvider(this::lent)
                .build()));
        gate.setCommandFactory(
                (channel, line) -> new HostCommand(line, behind(channel.getSessionContext()), cloud, faults, lent()));
        gate.start();
    }

    /** Each user shuts what it was lent when it is done, so each gets its own. */
    private CloseableExecutorService lent() {
        return ThreadUtils.noClose(threads);
    }

    /** The port of a machine; it is opened when needed. */
    public synchronized int port(SimInstance instance, boolean dead) {
        if (dead) {
            return CLOSED_PORT;
        }
        Machine known = byInstance.get(instance.id());
        if (known != null) {
            return known.port();
        }
        try {
            Path root = Files.createDirectories(folder.resolve(instance.id()));
            Files.createDirectories(root.resolve("tmp"));
            PayloadRuns runs = new PayloadRuns(
                    profile, clock, instance.id(), instance.offer().gpus());
            Machine machine =
                    new Machine(instance, root, new VirtualShell(root, runs), Machine.newHostKey(), gate.openPort());
            byInstance.put(instance.id(), machine);
            byPort.put(machine.port(), machine);
            return machine.port();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a simulated machine", e);
        }
    }

    /** Shuts the ports of machines that are not up any more and breaks their connections. */
    public synchronized void shutGone() {
        byInstance.values().removeIf(machine -> {
            if (cloud.up(machine.instance())) {
                return false;
            }
            byPort.remove(machine.port());
            gate.shutPort(machine.port());
            try {
                VirtualShell.delete(machine.root());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot remove a simulated machine's files", e);
            }
            return true;
        });
    }

    private synchronized Optional<Machine> behind(SessionContext session) {
        return Optional.ofNullable(byPort.get(SshGate.port(session)));
    }

    private boolean mayEnter(String user, PublicKey key, ServerSession session) {
        Optional<Machine> machine = behind(session);
        if (machine.isEmpty() || !cloud.up(machine.get().instance())) {
            session.close(true);
            return false;
        }
        // A client asks for each key twice, before and with its signature: one login all the same.
        FaultBook.Meeting meeting = session.computeAttributeIfAbsent(LOGIN, ignored -> {
            FaultBook.Meeting met =
                    faults.meet(FaultRule.Operation.LOGIN, machine.get().subject());
            HostCommand.pause(met.delay());
            return met;
        });
        if (meeting.spoiler()
                .filter(rule -> rule.action() == FaultRule.Action.DROP)
                .isPresent()) {
            session.close(true);
            return false;
        }
        return meeting.spoiler().isEmpty() && USER.equals(user) && machine.get().knows(key);
    }

    @Override
    public void close() throws IOException {
        gate.close(true).await(PATIENCE);
        threads.shutdownNow();
        timer.shutdownNow();
        VirtualShell.delete(folder);
    }

    /** Each machine shows its own host key. */
    private final class HostKeys implements KeyPairProvider {
        @Override
        public Iterable<KeyPair> loadKeys(@org.jspecify.annotations.Nullable SessionContext session) {
            return session == null
                    ? List.of()
                    : behind(session).map(Machine::hostKey).stream().toList();
        }
    }

    /** Each machine has its own files. */
    private final class Roots implements FileSystemFactory {
        private Path root(SessionContext session) throws IOException {
            return behind(session).map(Machine::root).orElseThrow(() -> new IOException("this machine is gone"));
        }

        @Override
        public Path getUserHomeDir(SessionContext session) throws IOException {
            return root(session);
        }

        @Override
        public FileSystem createFileSystem(SessionContext session) throws IOException {
            return new RootedFileSystemProvider().newFileSystem(root(session), Map.of());
        }
    }
}
