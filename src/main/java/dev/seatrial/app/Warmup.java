package dev.seatrial.app;

import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlServer;
import dev.seatrial.app.ledger.HomeLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Starts everything once in a throw-away data directory and ends it again. */
public final class Warmup {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Warmup() {}

    public static void run() {
        try {
            Path home = Files.createTempDirectory("seatrial-warm-up");
            try {
                in(home);
            } finally {
                remove(home);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void in(Path home) {
        Settings settings = new Settings(home, home.resolve("config.yaml"), Map.of());
        try (App app = App.open(settings, Clock.systemUTC())) {
            HomeLock.Outcome lock = HomeLock.acquire(home, Clock.systemUTC());
            if (lock instanceof HomeLock.Acquired acquired) {
                try (Owner owner = Owner.start(app, acquired, Owner.Role.COMMAND, told -> {})) {
                    owner.awaitRecovery(LIMIT);
                    long end = System.nanoTime() + LIMIT.toNanos();
                    while (!Files.exists(home.resolve(ControlServer.FILE)) && System.nanoTime() < end) {
                        TimeUnit.MILLISECONDS.sleep(50);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static void remove(Path home) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(home)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path p : all) {
            Files.deleteIfExists(p);
        }
    }
}
