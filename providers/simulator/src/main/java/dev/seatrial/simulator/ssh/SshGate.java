package dev.seatrial.simulator.ssh;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.common.io.nio2.Nio2ServiceFactoryFactory;
import org.apache.sshd.common.session.SessionContext;
import org.apache.sshd.common.session.helpers.AbstractSession;
import org.apache.sshd.common.util.threads.SshThreadPoolExecutor;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.SshServer;

/**
 * One SSH server with a port for each machine. A server for each machine would cost a thread pool each, and stopping one
 * waits for its pool for many seconds.
 */
final class SshGate extends SshServer {
    private static final String LOOPBACK = "127.0.0.1";

    private SshGate() {}

    /** One with MINA's usual algorithms, not started yet. */
    static SshGate create(ThreadFactory daemons, ScheduledExecutorService timer) {
        SshGate gate = new SshGate();
        ServerBuilder.builder().factory(() -> gate).build();
        gate.setHost(LOOPBACK);
        gate.setPort(0);
        gate.setScheduledExecutorService(timer);
        gate.setIoServiceFactoryFactory(new Nio2ServiceFactoryFactory(() -> new SshThreadPoolExecutor(
                0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons)));
        return gate;
    }

    /** Opens one more port and returns it. Not for several threads at once. */
    int openPort() throws IOException {
        Set<SocketAddress> before = new HashSet<>(acceptor.getBoundAddresses());
        acceptor.bind(new InetSocketAddress(LOOPBACK, 0));
        Set<SocketAddress> after = new HashSet<>(acceptor.getBoundAddresses());
        after.removeAll(before);
        return after.stream()
                .filter(InetSocketAddress.class::isInstance)
                .map(address -> ((InetSocketAddress) address).getPort())
                .findFirst()
                .orElseThrow(() -> new IOException("no port was opened"));
    }

    /** Shuts a port and breaks every connection that came in by it. */
    void shutPort(int port) {
        acceptor.unbind(new InetSocketAddress(LOOPBACK, port));
        for (AbstractSession session : getActiveSessions()) {
            if (port(session) == port) {
                session.close(true);
            }
        }
    }

    /** The port by which a connection came in; 0 when it is over. */
    static int port(SessionContext session) {
        return session.getLocalAddress() instanceof InetSocketAddress address ? address.getPort() : 0;
    }
}
