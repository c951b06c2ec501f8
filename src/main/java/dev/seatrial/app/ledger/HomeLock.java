package dev.seatrial.app.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.domain.ledger.LedgerException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives one process a data directory. The operating system drops the lock with the process, however it ends, so a free
 * lock proves the owner dead. {@code owner.json} beside it says who owns it and where its control endpoint listens.
 */
public final class HomeLock {
    static final String LOCK = "owner.lock";
    static final String OWNER = "owner.json";

    private static final int ID_LENGTH = 12;
    private static final int MAX_OWNER_BYTES = 4_096;
    private static final int TRIES = 50;
    private static final long BETWEEN_TRIES_MILLIS = 20;

    /**
     * Directories this process owns, with the owner's id. Static because a lock on a file belongs to the whole process:
     * closing any other channel to the same file would drop it, so nobody may open a lock file that is held here.
     */
    private static final Map<Path, String> HELD = new ConcurrentHashMap<>();

    private HomeLock() {}

    /** What came of asking. */
    public sealed interface Outcome {}

    /**
     * Another process owns the directory.
     *
     * @param pid its process id; 0 when it has not said yet
     * @param since when it took the directory; the epoch when it has not said yet
     * @param controlPort where its control endpoint listens on loopback, once it does
     */
    public record HeldBy(long pid, Instant since, OptionalInt controlPort) implements Outcome {}

    /**
     * A living owner.
     *
     * @param id owner's id
     * @param pid process id
     * @param since when it took the directory
     * @param controlPort where its control endpoint listens on loopback, once it does
     */
    public record Owner(String id, long pid, Instant since, OptionalInt controlPort) {}

    /** This process owns the directory until this is closed. */
    public static final class Acquired implements Outcome, AutoCloseable {
        private final Path home;
        private final String id;
        private final Instant since;
        private final FileChannel channel;

        private Acquired(Path home, String id, Instant since, FileChannel channel) {
            this.home = home;
            this.id = id;
            this.since = since;
            this.channel = channel;
        }

        /** 12 of {@code [a-z0-9]}, new for each acquisition. */
        public String ownerId() {
            return id;
        }

        /**
         * Tells other processes where the control endpoint listens on loopback.
         *
         * @throws LedgerException when the file cannot be written
         */
        public void publish(int controlPort) {
            try {
                tell(OptionalInt.of(controlPort));
            } catch (IOException failure) {
                throw OwnerOnly.explain("the data directory " + home, failure);
            }
        }

        @Override
        public void close() {
            synchronized (HELD) {
                if (!HELD.remove(home, id)) {
                    return;
                }
                try (channel) {
                    // While the lock still holds: later it could be the next owner's file.
                    Files.deleteIfExists(home.resolve(OWNER));
                } catch (IOException failure) {
                    // The operating system drops the lock at the latest when this process ends.
                }
            }
        }

        private void tell(OptionalInt controlPort) throws IOException {
            String started = ProcessHandle.current()
                    .info()
                    .startInstant()
                    .map(Instant::toString)
                    .orElse("");
            String port = controlPort.isPresent() ? ",\"controlPort\":" + controlPort.getAsInt() : "";
            OwnerOnly.write(
                    home.resolve(OWNER),
                    "{\"id\":\"" + id + "\",\"pid\":" + ProcessHandle.current().pid() + ",\"processStarted\":\""
                            + started + "\",\"since\":\"" + since + "\"" + port + "}\n");
        }
    }

    /**
     * Takes the directory; makes it, readable by its owner only, when it is missing.
     *
     * @throws LedgerException in plain words when the directory cannot be used
     */
    public static Outcome acquire(Path directory, InstantSource clock) {
        try {
            OwnerOnly.directory(directory);
            Path home = directory.toRealPath();
            for (int tries = 1; ; tries++) {
                Optional<Acquired> acquired = tryAcquire(home, clock.instant());
                if (acquired.isPresent()) {
                    return acquired.get();
                }
                Optional<Written> written = read(home);
                // A lock that is held while the file names a dead process: a new owner is about to write the file, or
                // somebody only looks whether the lock is free.
                if (written.filter(Written::processLives).isPresent() || tries == TRIES || !pause()) {
                    return written.<Outcome>map(w -> new HeldBy(
                                    w.owner().pid(),
                                    w.owner().since(),
                                    w.owner().controlPort()))
                            .orElseGet(() -> new HeldBy(0, Instant.EPOCH, OptionalInt.empty()));
                }
            }
        } catch (IOException failure) {
            throw OwnerOnly.explain("the data directory " + directory, failure);
        }
    }

    /**
     * Whether an owner may still live. False is proof of death; true is not proof of life.
     *
     * @param ownerId as told by {@link Acquired#ownerId()}
     * @throws LedgerException in plain words when the directory cannot be read
     */
    public static boolean ownerAlive(Path directory, String ownerId) {
        try {
            if (!Files.isDirectory(directory)) {
                return false;
            }
            Path home = directory.toRealPath();
            String here = HELD.get(home);
            if (here != null) {
                return here.equals(ownerId);
            }
            // An owner is told to others only after its file is written, so a file that names another one means that
            // this one has lost the lock.
            return held(home)
                    && read(home).map(w -> w.owner().id().equals(ownerId)).orElse(true);
        } catch (IOException failure) {
            throw OwnerOnly.explain("the data directory " + directory, failure);
        }
    }

    /**
     * The process that owns the directory now, this one included.
     *
     * @return empty when nobody does, or it has not said yet who it is
     * @throws LedgerException in plain words when the directory cannot be read
     */
    public static Optional<Owner> owner(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                return Optional.empty();
            }
            Path home = directory.toRealPath();
            return HELD.containsKey(home) || held(home) ? read(home).map(Written::owner) : Optional.empty();
        } catch (IOException failure) {
            throw OwnerOnly.explain("the data directory " + directory, failure);
        }
    }

    private static Optional<Acquired> tryAcquire(Path home, Instant now) throws IOException {
        synchronized (HELD) {
            if (HELD.containsKey(home)) {
                return Optional.empty();
            }
            Path file = home.resolve(LOCK);
            try {
                OwnerOnly.create(file);
            } catch (FileAlreadyExistsException usual) {
                // It stays for ever: removing it would let two processes lock two files of one name.
            }
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
            try {
                if (lock(channel) == null) {
                    channel.close();
                    return Optional.empty();
                }
                Acquired acquired = new Acquired(home, newId(), now, channel);
                acquired.tell(OptionalInt.empty());
                HELD.put(home, acquired.id);
                return Optional.of(acquired);
            } catch (IOException failure) {
                channel.close();
                throw failure;
            }
        }
    }

    private static boolean held(Path home) throws IOException {
        synchronized (HELD) {
            Path file = home.resolve(LOCK);
            if (HELD.containsKey(home)) {
                return true;
            }
            if (Files.notExists(file)) {
                return false;
            }
            // Shared, so that a reader without the right to write can ask too.
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                    FileLock free = channel.tryLock(0, Long.MAX_VALUE, true)) {
                return free == null;
            }
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException sameProcess) {
            return null;
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(BETWEEN_TRIES_MILLIS);
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String newId() {
        SecureRandom random = new SecureRandom();
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(Character.forDigit(random.nextInt(36), 36));
        }
        return id.toString();
    }

    private record Written(Owner owner, String processStarted) {
        /** Process ids are used again, in containers at once; the start tells two of them apart. */
        boolean processLives() {
            return ProcessHandle.of(owner.pid())
                    .map(p -> p.info()
                            .startInstant()
                            .map(Instant::toString)
                            .orElse("")
                            .equals(processStarted))
                    .orElse(false);
        }
    }

    /** Empty when there is none or it is not what an owner writes. */
    private static Optional<Written> read(Path home) throws IOException {
        Path file = home.resolve(OWNER);
        JsonNode json;
        try {
            json = new ObjectMapper().readTree(OwnerOnly.read(file, MAX_OWNER_BYTES));
        } catch (java.nio.file.NoSuchFileException | com.fasterxml.jackson.core.JsonProcessingException none) {
            return Optional.empty();
        }
        try {
            JsonNode port = json.path("controlPort");
            return Optional.of(new Written(
                    new Owner(
                            json.path("id").asText(),
                            json.path("pid").asLong(),
                            Instant.parse(json.path("since").asText()),
                            port.isInt() ? OptionalInt.of(port.asInt()) : OptionalInt.empty()),
                    json.path("processStarted").asText()));
        } catch (DateTimeParseException notOurs) {
            return Optional.empty();
        }
    }
}
