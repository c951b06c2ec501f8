package dev.seatrial.app;

import io.quarkus.bootstrap.logging.InitialConfigurator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.logmanager.handlers.SizeRotatingFileHandler;

/** Where log lines go: nowhere until a command has a data directory, then into a file there. The terminal is the user's. */
final class Logs {
    private static final long FILE_BYTES = 10L * 1024 * 1024;
    private static final int FILES = 5;

    private Logs() {}

    /** Nothing on the terminal. */
    static void quiet() {
        InitialConfigurator.DELAYED_HANDLER.setHandlers(new Handler[] {new Silent()});
    }

    /** Into {@code <home>/logs/seatrial.log}, rotated; problems with the file are no reason not to run. */
    static void into(Path directory) {
        try {
            Files.createDirectories(directory);
            SizeRotatingFileHandler handler = new SizeRotatingFileHandler(
                    directory.resolve("seatrial.log").toFile(), true);
            handler.setEncoding(StandardCharsets.UTF_8.name());
            handler.setRotateSize(FILE_BYTES);
            handler.setMaxBackupIndex(FILES);
            handler.setLevel(Level.INFO);
            handler.setFormatter(new PatternFormatter("%d{yyyy-MM-dd'T'HH:mm:ss,SSSXXX} %-5p [%c{2.}] (%t) %s%e%n"));
            InitialConfigurator.DELAYED_HANDLER.setHandlers(new Handler[] {handler});
            // Quarkus takes logging over when it starts; it is told to use the same file.
            System.setProperty("quarkus.log.file.enabled", "true");
            System.setProperty(
                    "quarkus.log.file.path", directory.resolve("seatrial.log").toString());
            System.setProperty("quarkus.log.file.rotation.max-file-size", "10M");
        } catch (IOException e) {
            quiet();
        }
    }

    private static final class Silent extends Handler {
        @Override
        public void publish(LogRecord record) {
            // Nothing is lost that a user could use: problems are told by the commands themselves.
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
