package dev.seatrial.app.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The class-data archive that the launcher makes; made once for all these tests, so that each start costs less. */
final class Archive {
    private static final Optional<String> FILE = make();

    private Archive() {}

    /** The option that uses it; empty when it could not be made, and starts are slower. */
    static Optional<String> file() {
        return FILE;
    }

    private static Optional<String> make() {
        Path archive = Path.of("target", "process-tests.jsa").toAbsolutePath();
        try {
            Files.deleteIfExists(archive);
            Process warmUp = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:ArchiveClassesAtExit=" + archive,
                            "-Xshare:auto",
                            "-Xlog:disable",
                            "-XX:+UseSerialGC",
                            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                            "-cp",
                            AppProcess.classPath(),
                            "dev.seatrial.app.Main",
                            "warm-up")
                    .redirectErrorStream(true)
                    .redirectOutput(new File("/dev/null"))
                    .start();
            if (!warmUp.waitFor(AppProcess.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                warmUp.destroyForcibly();
            }
            return Files.exists(archive) ? Optional.of("-XX:SharedArchiveFile=" + archive) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
