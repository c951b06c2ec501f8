package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.LedgerException.Kind;
import dev.seatrial.domain.ledger.SpendingStop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * The file {@code spending-stopped} beside the ledger: while it is there no lease is granted and no create is sent. A file
 * and not a row, so that spending can be stopped whatever state the ledger is in; it outlives every process.
 */
public final class SpendingMarker {
    static final String FILE = "spending-stopped";
    private static final int MOST = 1_000;

    private final Path file;

    /** @param home the ledger's directory */
    public SpendingMarker(Path home) {
        this.file = home.resolve(FILE);
    }

    /** Whether spending is stopped; also when nobody can tell since when, for a doubt must not spend. */
    public Optional<SpendingStop> read() {
        if (Files.notExists(file)) {
            return Optional.empty();
        }
        try {
            String[] lines = new String(OwnerOnly.read(file, MOST), StandardCharsets.UTF_8).split("\n");
            return Optional.of(new SpendingStop(Instant.parse(lines[0].strip()), lines.length > 1 ? lines[1] : "?"));
        } catch (IOException | DateTimeException unreadable) {
            return Optional.of(new SpendingStop(Instant.EPOCH, "?"));
        }
    }

    /**
     * Stops spending; a stop that is there already stays as it is.
     *
     * @throws LedgerException when the file cannot be written
     */
    public SpendingStop set(Instant at, String who) {
        Optional<SpendingStop> before = read();
        if (before.isPresent()) {
            return before.get();
        }
        try {
            OwnerOnly.write(file, at + "\n" + who + "\n");
            return new SpendingStop(at, who);
        } catch (IOException failure) {
            throw OwnerOnly.explain("the file " + file, failure);
        }
    }

    /**
     * Permits spending again.
     *
     * @return whether it was stopped
     * @throws LedgerException when the file cannot be removed
     */
    public boolean clear() {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException failure) {
            throw new LedgerException(
                    Kind.READ_ONLY, "the file " + file + " cannot be removed: " + failure.getMessage(), failure);
        }
    }
}
