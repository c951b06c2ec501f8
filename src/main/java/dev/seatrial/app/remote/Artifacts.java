package dev.seatrial.app.remote;

import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.ledger.Ledger;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Brings raw outputs into the ledger. The archive comes from a machine that may be hostile: no name in it ever becomes a
 * path here, and number and sizes are capped.
 */
final class Artifacts {
    private static final long ARCHIVE_CAP = 64L << 20;
    private static final int FILE_CAP = 16 << 20;
    private static final int FILES = 300;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Ledger ledger;
    private final Path temporary;

    Artifacts(Ledger ledger, Path temporary) {
        this.ledger = ledger;
        this.temporary = temporary;
    }

    /** What of the archive can be read is kept; a broken end is no error. @return how many files were kept */
    int collect(Host host, String run) throws MachineException {
        try {
            Files.createDirectories(temporary);
            Path file = Files.createTempFile(temporary, "collect-", ".tar");
            try {
                try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
                    host.collect(run, out, ARCHIVE_CAP, LIMIT);
                }
                return keep(file, run);
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (MachineException e) {
            throw e;
        } catch (IOException e) {
            throw new MachineException(MachineException.Kind.LOCAL, "cannot keep raw outputs: " + e.getMessage(), e);
        }
    }

    private int keep(Path archive, String run) throws IOException {
        Set<String> names = new HashSet<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(archive));
                TarArchiveInputStream tar = new TarArchiveInputStream(in, "UTF-8")) {
            for (TarArchiveEntry entry = next(tar); entry != null && names.size() < FILES; entry = next(tar)) {
                Optional<String> name = name(entry, run);
                if (name.isPresent() && names.add(name.get())) {
                    byte[] content = tar.readNBytes(FILE_CAP);
                    ledger.artifact(new ArtifactRow(run, name.get(), Payload.sha256(content), content.length), content);
                }
            }
        } catch (IllegalArgumentException e) {
            // The tar reader's answer to some malformed headers.
            return names.size();
        }
        return names.size();
    }

    private static @org.jspecify.annotations.Nullable TarArchiveEntry next(TarArchiveInputStream tar) {
        try {
            return tar.getNextEntry();
        } catch (IOException e) {
            // Cut off or malformed: what came before it is kept.
            return null;
        }
    }

    /** Plain files of this run; events are in the ledger already. */
    static Optional<String> name(TarArchiveEntry entry, String run) {
        String path = entry.getName();
        if (!entry.isFile() || entry.isSymbolicLink() || entry.isLink() || !path.startsWith(run + "/")) {
            return Optional.empty();
        }
        String inside = path.substring(run.length() + 1);
        if (inside.equals("events.jsonl")) {
            return Optional.empty();
        }
        String plain = (inside.startsWith("raw/") ? inside.substring(4) : inside)
                .replaceAll("[^A-Za-z0-9._-]", "_")
                .replaceAll("^\\.+", "_");
        return plain.isEmpty() ? Optional.empty() : Optional.of(plain.substring(0, Math.min(plain.length(), 120)));
    }
}
