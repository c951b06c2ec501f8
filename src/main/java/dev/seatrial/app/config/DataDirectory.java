package dev.seatrial.app.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The directory that holds the ledger, keys and reports: made if need be, its owner's alone, writable. */
final class DataDirectory {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);
    /** Less than this leaves no room for a ledger that must not lose a write. */
    private static final long LEAST_SPACE = 20L << 20;

    private final Messages words;

    DataDirectory(Messages words) {
        this.words = words;
    }

    void prepare(Path home) {
        try {
            if (Files.exists(home) && !Files.isDirectory(home)) {
                throw fail(home, "home.file");
            }
            boolean fresh = !Files.exists(home);
            Files.createDirectories(home);
            restrict(home, fresh);
            Files.delete(Files.createTempFile(home, ".writable", ""));
            FileStore store = Files.getFileStore(home);
            if (store.getUsableSpace() < LEAST_SPACE) {
                throw fail(home, "home.space", LEAST_SPACE >> 20);
            }
        } catch (AccessDeniedException e) {
            throw fail(home, "home.denied");
        } catch (FileSystemException e) {
            throw fail(home, "home.broken", e.getReason() == null ? e.getClass().getSimpleName() : e.getReason());
        } catch (IOException e) {
            throw fail(home, "home.broken", String.valueOf(e.getMessage()));
        }
    }

    private void restrict(Path home, boolean fresh) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(home, PosixFileAttributeView.class);
        if (view == null || view.readAttributes().permissions().stream().noneMatch(OTHERS::contains)) {
            return;
        }
        // Someone may have pointed at a directory that is shared on purpose: that one is not ours to shut.
        if (!fresh && !Files.exists(home.resolve("ledger.db")) && !empty(home)) {
            throw fail(home, "home.shared");
        }
        view.setPermissions(OWNER_ONLY);
    }

    private static boolean empty(Path home) throws IOException {
        try (Stream<Path> files = Files.list(home)) {
            return files.findAny().isEmpty();
        }
    }

    private ProblemsException fail(Path home, String key, Object... args) {
        return new ProblemsException(
                List.of(new Problem(home.toString(), 0, 0, "", words.text(key, args), words.text(key + ".hint"))));
    }
}
