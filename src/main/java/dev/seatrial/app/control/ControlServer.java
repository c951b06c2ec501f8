package dev.seatrial.app.control;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.Application;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.QuarkusBindException;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.ConfigProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the endpoint in the background and writes {@code control.json} once it answers. */
public final class ControlServer implements AutoCloseable {
    /** File in SEATRIAL_HOME that tells a second terminal where to go; readable by its owner alone. */
    public static final String FILE = "control.json";

    private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final int TOKEN_BYTES = 32;

    private final Path file;
    private final String token;
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean withdrawn;

    private final CompletableFuture<URI> address = new CompletableFuture<>();
    private final boolean takesPlans;

    private ControlServer(Path home, boolean takesPlans) {
        this.takesPlans = takesPlans;
        this.file = home.resolve(FILE);
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        this.token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Waits until asked to end; all work is done by the resources. */
    public static final class Waiting implements QuarkusApplication {
        @Override
        public int run(String... args) {
            Quarkus.waitForExit();
            return 0;
        }
    }

    /**
     * Returns at once; the endpoint answers a moment later, see {@link #address()}.
     *
     * @param port on loopback; 0 for any that is free
     * @param takesPlans whether other commands are to hand their plans over; told in the announcement
     */
    public static ControlServer start(Path home, int port, boolean takesPlans, ControlTarget target) {
        ControlServer server = new ControlServer(home, takesPlans);
        // Quarkus reads its port from its configuration alone.
        System.setProperty("quarkus.http.port", String.valueOf(port));
        Thread http = new Thread(
                () -> {
                    try {
                        Quarkus.run(Waiting.class, (code, failure) -> {
                            if (failure != null) {
                                LOG.error("the control endpoint ended", failure);
                                server.address.completeExceptionally(new IOException(inPlainWords(failure)));
                            }
                        });
                    } finally {
                        server.ended.countDown();
                    }
                },
                "control-http");
        http.setDaemon(true);
        http.start();
        Thread announce = new Thread(() -> server.announce(target), "control-announce");
        announce.setDaemon(true);
        announce.start();
        return server;
    }

    private void announce(ControlTarget target) {
        try {
            long limit = System.nanoTime() + START_LIMIT.toNanos();
            while (!started()) {
                if (System.nanoTime() > limit || ended.await(20, TimeUnit.MILLISECONDS)) {
                    LOG.error("the control endpoint did not start");
                    address.completeExceptionally(new IOException("it did not start"));
                    return;
                }
            }
            Arc.container().instance(ControlAttachment.class).get().attach(target, token);
            int port = ConfigProvider.getConfig().getValue("quarkus.http.port", Integer.class);
            write(Map.of(
                    "url",
                    "http://127.0.0.1:" + port,
                    "token",
                    token,
                    "pid",
                    ProcessHandle.current().pid(),
                    "takesPlans",
                    takesPlans));
            address.complete(URI.create("http://127.0.0.1:" + port));
        } catch (IOException e) {
            LOG.error("could not write {}", file, e);
            address.completeExceptionally(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Completes once the endpoint answers and is announced; exceptionally, in plain words, when it cannot. */
    public CompletableFuture<URI> address() {
        return address;
    }

    private static String inPlainWords(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof BindException || t instanceof QuarkusBindException) {
                return "the port is in use, or may not be used";
            }
        }
        return String.valueOf(failure.getMessage());
    }

    private static boolean started() {
        Application application = Application.currentApplication();
        return application != null && application.isStarted();
    }

    private synchronized void write(Map<String, Object> content) throws IOException {
        if (withdrawn) {
            return;
        }
        Path next = file.resolveSibling(FILE + ".new");
        Files.deleteIfExists(next);
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(
                next,
                new ObjectMapper().writeValueAsBytes(content),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes the announcement, also one that is still to come. */
    public synchronized void withdraw() {
        withdrawn = true;
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("could not remove {}: {}", file, e.toString());
        }
    }

    @Override
    public void close() {
        withdraw();
        if (started()) {
            Quarkus.asyncExit(0);
            try {
                if (!ended.await(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.warn("the control endpoint is slow to stop");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
