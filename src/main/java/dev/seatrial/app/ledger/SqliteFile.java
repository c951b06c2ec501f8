package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.LedgerException.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;

/**
 * Makes, checks and upgrades a ledger's file. A new one is made under another name and appears complete, so that an empty
 * or half-made file under the ledger's own name is always damage and never silently becomes a new ledger.
 */
final class SqliteFile {
    /** File beside the database that keeps the installation's id when the database is lost. */
    static final String INSTALLATION = "installation";

    private static final Pattern ID = Pattern.compile("[a-z0-9]{8}");

    private final Path file;
    private final InstantSource clock;
    private final Duration busy;

    SqliteFile(Path file, InstantSource clock, Duration busy) {
        this.busy = busy;
        this.file = file.toAbsolutePath().normalize();
        this.clock = clock;
        if (this.file.toString().indexOf('?') >= 0) {
            throw new LedgerException(Kind.INVALID, "the ledger's path must not contain '?': " + this.file);
        }
    }

    Path path() {
        return file;
    }

    /**
     * Readies the file for writing; makes it when there is none.
     *
     * @return the installation's id
     */
    String prepare() {
        Path directory = directory();
        try {
            OwnerOnly.directory(directory);
            if (!Files.isWritable(directory)) {
                throw new LedgerException(Kind.READ_ONLY, "the directory " + directory + " may not be written");
            }
            Optional<String> kept = keptInstallation();
            if (Files.notExists(file)) {
                create(kept.orElseGet(LeaseIds::newInstallation));
            }
            OwnerOnly.tighten(file);
            if (!Files.isWritable(file)) {
                // SQLite would open it for reading and fail at the first write.
                throw new LedgerException(
                        Kind.READ_ONLY, "the ledger " + file + " cannot be written: permission denied");
            }
            if (schema(false) < Migrations.NEWEST) {
                upgrade();
            }
            String installation = installation(kept);
            if (kept.isEmpty()) {
                OwnerOnly.write(directory.resolve(INSTALLATION), installation + "\n");
            }
            return installation;
        } catch (IOException failure) {
            throw unusable(failure);
        }
    }

    /**
     * Checks the file for reading.
     *
     * @return the installation's id; empty when there is no ledger
     */
    Optional<String> check() {
        if (Files.notExists(file)) {
            return Optional.empty();
        }
        if (schema(true) < Migrations.NEWEST) {
            throw new LedgerException(
                    Kind.OLDER,
                    "the ledger " + file + " was written by an older version; 'seatrial sweep' or a new evaluation"
                            + " brings it up to date");
        }
        try (Connection connection = source(file, true).getConnection()) {
            return Optional.of(recordedInstallation(connection));
        } catch (SQLException failure) {
            throw SqliteErrors.explain(file, failure);
        }
    }

    private DataSource source(Path which, boolean readOnly) {
        return SqliteDatabase.source(which, readOnly, busy);
    }

    /** The id that is kept beside the database; empty when it is not, or cannot be read. */
    Optional<String> kept() {
        try {
            return keptInstallation();
        } catch (IOException | LedgerException unreadable) {
            return Optional.empty();
        }
    }

    Path directory() {
        Path parent = file.getParent();
        if (parent == null) {
            throw new LedgerException(Kind.INVALID, file + " is no place for a ledger");
        }
        return parent;
    }

    private Optional<String> keptInstallation() throws IOException {
        Path kept = directory().resolve(INSTALLATION);
        if (Files.notExists(kept)) {
            return Optional.empty();
        }
        String id = new String(OwnerOnly.read(kept, 100), StandardCharsets.UTF_8).strip();
        if (!ID.matcher(id).matches()) {
            throw new LedgerException(
                    Kind.BROKEN,
                    "the file " + kept + " does not hold an installation id (8 of a-z, 0-9). Instance names begin with"
                            + " st-<id>-: put the id back, or delete the file if nothing is rented");
        }
        return Optional.of(id);
    }

    private void create(String installation) throws IOException {
        Path draft = directory().resolve(file.getFileName() + "." + UUID.randomUUID() + ".new");
        try {
            OwnerOnly.create(draft);
            try (Connection connection = source(draft, false).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("pragma journal_mode = wal");
            }
            Migrations.migrate(source(draft, false), "blob");
            try (Connection connection = source(draft, false).getConnection();
                    var insert =
                            connection.prepareStatement("insert into installation (id, created_at) values (?, ?)")) {
                insert.setString(1, installation);
                insert.setLong(2, clock.millis());
                insert.executeUpdate();
            }
            OwnerOnly.publish(draft, file);
        } catch (FileAlreadyExistsException otherWasFaster) {
            // Its ledger is as good as ours.
        } catch (SQLException | FlywayException failure) {
            throw SqliteErrors.explain(file, failure);
        } finally {
            for (String suffix : new String[] {"", "-wal", "-shm", "-journal"}) {
                Files.deleteIfExists(draft.resolveSibling(draft.getFileName() + suffix));
            }
        }
    }

    private void upgrade() {
        try {
            Migrations.migrate(source(file, false), "blob");
        } catch (FlywayException failure) {
            // Two processes may upgrade at once; each version is one transaction, so what counts is what is there now.
            if (schema(false) < Migrations.NEWEST) {
                throw SqliteErrors.explain(file, failure);
            }
        }
    }

    private int schema(boolean readOnly) {
        try (Connection connection = source(file, readOnly).getConnection();
                Statement statement = connection.createStatement()) {
            if (!has(statement, Migrations.HISTORY)) {
                throw new LedgerException(
                        Kind.BROKEN,
                        file + (Files.size(file) == 0 ? " is empty" : " is an SQLite database but no ledger")
                                + ". It was left as it is; restore a copy, or move it away and a new ledger begins that"
                                + " still knows this installation's instances by their names");
            }
            try (ResultSet version = statement.executeQuery(
                    "select max(cast(version as integer)) from " + Migrations.HISTORY + " where success = 1")) {
                int found = version.next() ? version.getInt(1) : 0;
                if (found > Migrations.NEWEST) {
                    throw new LedgerException(
                            Kind.NEWER,
                            "the ledger " + file + " was written by a newer version of seatrial (schema " + found
                                    + ", this one knows " + Migrations.NEWEST + "): use that version");
                }
                return found;
            }
        } catch (SQLException failure) {
            throw SqliteErrors.explain(file, failure);
        } catch (IOException failure) {
            throw unusable(failure);
        }
    }

    /** Begins a write on purpose: what cannot be written must show now, not when something is rented. */
    private String installation(Optional<String> kept) {
        try (Connection connection = source(file, false).getConnection()) {
            connection.setAutoCommit(false);
            String recorded = recordedInstallation(connection);
            connection.rollback();
            if (kept.isPresent() && !kept.get().equals(recorded)) {
                throw new LedgerException(
                        Kind.BROKEN,
                        "the ledger " + file + " belongs to installation " + recorded + ", but the file "
                                + directory().resolve(INSTALLATION) + " says " + kept.get()
                                + ": put together what belongs together, or delete that file to go on with "
                                + recorded);
            }
            return recorded;
        } catch (SQLException failure) {
            throw SqliteErrors.explain(file, failure);
        }
    }

    private String recordedInstallation(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select id from installation")) {
            if (row.next()) {
                return row.getString(1);
            }
            throw new LedgerException(Kind.BROKEN, "the ledger " + file + " has lost its installation id");
        }
    }

    private static boolean has(Statement statement, String table) throws SQLException {
        try (ResultSet row =
                statement.executeQuery("select 1 from sqlite_master where type = 'table' and name = '" + table + "'")) {
            return row.next();
        }
    }

    private LedgerException unusable(IOException failure) {
        return OwnerOnly.explain("the ledger " + file, failure);
    }
}
