package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.LedgerException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;

/** Files that nobody but their owner may read, and writes that are there entirely or not at all. */
final class OwnerOnly {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<?> NEW_FILE = PosixFilePermissions.asFileAttribute(FILE);
    private static final FileAttribute<?> NEW_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private OwnerOnly() {}

    /** Makes the directory and its parents when missing; one that is there keeps its permissions. */
    static void directory(Path directory) throws IOException {
        // createDirectories would refuse a link to a directory.
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, NEW_DIRECTORY);
        }
    }

    /** @throws FileAlreadyExistsException when it is there */
    static void create(Path file) throws IOException {
        Files.createFile(file, NEW_FILE);
    }

    /** Takes other people's permissions away, where the file is ours. */
    static void tighten(Path file) throws IOException {
        Set<PosixFilePermission> now = Files.getPosixFilePermissions(file);
        EnumSet<PosixFilePermission> kept = EnumSet.noneOf(PosixFilePermission.class);
        now.stream().filter(FILE::contains).forEach(kept::add);
        if (!kept.equals(now)) {
            try {
                Files.setPosixFilePermissions(file, kept);
            } catch (FileSystemException notOurs) {
                // Somebody else's file, such as a mounted volume's: they decide.
            }
        }
    }

    static byte[] read(Path file, int most) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(most);
        }
    }

    /** Writes or replaces a file. */
    static void write(Path file, String content) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".new");
        try {
            create(draft);
            try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
                channel.write(StandardCharsets.UTF_8.encode(content));
                channel.force(true);
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            force(file);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /**
     * Gives a finished file its name.
     *
     * @throws FileAlreadyExistsException when something has that name; it is left alone
     */
    static void publish(Path draft, Path file) throws IOException {
        try {
            // A link, because unlike a move it never replaces what another process has just put there.
            Files.createLink(file, draft);
        } catch (UnsupportedOperationException noLinksHere) {
            Files.move(draft, file);
        } catch (FileAlreadyExistsException taken) {
            throw taken;
        } catch (FileSystemException noLinksHere) {
            Files.move(draft, file);
        }
        force(file);
    }

    static LedgerException explain(String what, IOException failure) {
        String reason = failure instanceof FileSystemException fs && fs.getReason() != null
                ? fs.getReason()
                : String.valueOf(failure.getMessage());
        if (reason.contains("No space left") || reason.contains("quota exceeded")) {
            return new LedgerException(Kind.FULL, "no space left for " + what, failure);
        }
        String where = failure instanceof FileSystemException fs && fs.getFile() != null ? fs.getFile() : what;
        if (failure instanceof AccessDeniedException
                || failure instanceof NoSuchFileException
                || failure instanceof FileAlreadyExistsException
                || reason.contains("Read-only file system")
                || reason.contains("not permitted")) {
            return new LedgerException(
                    Kind.READ_ONLY, what + " cannot be written: " + where + ": " + words(failure, reason), failure);
        }
        return new LedgerException(Kind.UNREACHABLE, what + " could not be used: " + where + ": " + reason, failure);
    }

    private static String words(IOException failure, String reason) {
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "is a file, not a directory";
        }
        return reason;
    }

    /** Makes a new name survive a power cut. */
    private static void force(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
