package dev.seatrial.simulator.ssh;

import dev.seatrial.simulator.Profile;
import dev.seatrial.simulator.cloud.Cloud;
import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.SimInstance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.common.util.threads.CloseableExecutorService;
import org.apache.sshd.common.util.threads.SshThreadPoolExecutor;

/** The machines' SSH servers: one port of loopback each, opened once somebody asks for a machine that is up. */
public final class SshHosts implements AutoCloseable {
    /** The one user that may log in. */
    public static final String USER = "root";

    /** Where a machine pretends to be whose SSH never answers: nothing listens there. */
    private static final int CLOSED_PORT = 9;

    private final Profile profile;
    private final Cloud cloud;
    private final FaultBook faults;
    private final InstantSource clock;
    private final Path folder;
    private final Map<String, SshHost> hosts = new HashMap<>();
    private final CloseableExecutorService threads;
    private final ScheduledExecutorService timer;

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
    }

    /** The port of a machine; its server starts when needed. */
    public synchronized int port(SimInstance instance, boolean dead) {
        if (dead) {
            return CLOSED_PORT;
        }
        return hosts.computeIfAbsent(instance.id(), id -> open(instance)).port();
    }

    /** Shuts the servers of machines that are not up any more. */
    public synchronized void shutGone() {
        List<SshHost> gone = new ArrayList<>();
        hosts.values().removeIf(host -> {
            boolean over = !cloud.up(host.instance());
            if (over) {
                gone.add(host);
            }
            return over;
        });
        gone.forEach(SshHost::close);
    }

    private SshHost open(SimInstance instance) {
        try {
            Path root = Files.createDirectories(folder.resolve(instance.id()));
            Files.createDirectories(root.resolve("tmp"));
            PayloadRuns runs = new PayloadRuns(
                    profile, clock, instance.id(), instance.offer().gpus());
            return new SshHost(
                    instance, root, new VirtualShell(root, runs), () -> cloud.up(instance), faults, threads, timer);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a simulated machine", e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        hosts.values().forEach(SshHost::close);
        hosts.clear();
        threads.shutdownNow();
        timer.shutdownNow();
        VirtualShell.delete(folder);
    }
}
