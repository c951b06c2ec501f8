package dev.seatrial.app.ledger;

import static dev.seatrial.app.ledger.Samples.EVALUATION;
import static dev.seatrial.app.ledger.Samples.NOW;
import static dev.seatrial.app.ledger.Samples.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.LedgerException.Kind;
import dev.seatrial.domain.plan.Phase;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Opening: a new file, somebody's file, a damaged file. Trouble is told in plain words and nothing is lost. */
@Timeout(120)
class SqliteFileTest {
    @TempDir
    Path dir;

    @Test
    void aNewLedgerIsReadableByItsOwnerOnly() throws Exception {
        Path file = dir.resolve("home/data/ledger.db");
        try (SqlLedger ledger = open(file)) {
            Samples.evaluation("10").with("a", "5").in(ledger);

            assertThat(permissions(file.getParent())).isEqualTo("rwx------");
            assertThat(permissions(file.getParent().getParent())).isEqualTo("rwx------");
            try (Stream<Path> files = Files.list(file.getParent())) {
                List<Path> all = files.toList();
                assertThat(all)
                        .extracting(p -> p.getFileName().toString())
                        .contains("ledger.db", "ledger.db-wal", "installation")
                        .noneMatch(name -> name.contains(".new"));
                assertThat(all).allSatisfy(p -> assertThat(permissions(p)).isEqualTo("rw-------"));
            }
            assertThat(Files.readString(file.resolveSibling("installation"))).isEqualTo(ledger.installation() + "\n");
        }
    }

    @Test
    void othersLoseTheirPermissionsOnAnOldFile() throws Exception {
        open(file()).close();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));

        open(file()).close();

        assertThat(permissions(file())).isEqualTo("rw-------");
    }

    @Test
    void aNewLedgerTakesOverTheInstallationOfALostOne() throws Exception {
        String lost;
        try (SqlLedger ledger = open(file())) {
            lost = ledger.installation();
        }
        Files.delete(file());

        try (SqlLedger ledger = open(file())) {
            assertThat(ledger.installation()).isEqualTo(lost);
            assertThat(ledger.leasesByName()).isEmpty();
        }
    }

    @Test
    void theInstallationFileIsWrittenAgainWhenItIsLost() throws Exception {
        open(file()).close();
        Files.delete(dir.resolve("installation"));

        try (SqlLedger ledger = open(file())) {
            assertThat(dir.resolve("installation")).hasContent(ledger.installation());
        }
    }

    @Test
    void aLedgerOfAnotherInstallationIsNotTakenForOurs() throws Exception {
        open(file()).close();
        Files.writeString(dir.resolve("installation"), "zzzzzzzz\n");
        refused(Kind.BROKEN, "zzzzzzzz");

        Files.writeString(dir.resolve("installation"), "not an id\n");
        refused(Kind.BROKEN, "does not hold an installation id");
    }

    @Test
    void manyThatMakeTheFirstLedgerAtOnceGetTheSame() throws Exception {
        List<String> ids = LedgerContract.together(8, i -> {
            try (SqlLedger ledger = open(file())) {
                return ledger.installation();
            }
        });

        assertThat(ids).containsOnly(ids.get(0));
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files.map(p -> p.getFileName().toString())).noneMatch(name -> name.contains(".new"));
        }
    }

    @Test
    void whatIsNoDatabaseIsRefusedAndLeftAsItIs() throws Exception {
        Files.writeString(file(), "these are my holiday notes\n".repeat(200));
        refusedAndKept(Kind.BROKEN, "not a ledger");
    }

    @Test
    void anotherProgramsDatabaseIsRefusedAndLeftAsItIs() throws Exception {
        sql("create table songs (title text)");
        refusedAndKept(Kind.BROKEN, "no ledger");
    }

    @Test
    void anEmptiedLedgerIsNotTakenForANewOne() throws Exception {
        filled();
        truncate(0);
        refusedAndKept(Kind.BROKEN, "is empty");
        Files.delete(dir.resolve("installation"));
        refusedAndKept(Kind.BROKEN, "is empty");
    }

    @Test
    void aTruncatedLedgerIsRefusedAndLeftAsItIs() throws Exception {
        filled();
        long size = Files.size(file());
        for (long left : new long[] {size - 4096, size / 2, 4096, 1000, 50}) {
            truncate(left);
            refusedAndKept(Kind.BROKEN, "");
        }
    }

    @Test
    void aLedgerWithOverwrittenPagesIsToldToBeDamaged() throws Exception {
        filled();
        try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
            byte[] noise = new byte[4096];
            Arrays.fill(noise, (byte) 0x5a);
            for (long page = 1; page < raw.length() / 4096; page++) {
                raw.seek(page * 4096);
                raw.write(noise);
            }
        }
        refusedAndKept(Kind.BROKEN, "damaged");
    }

    @Test
    void aLedgerOfANewerVersionIsRefusedAndLeftAsItIs() throws Exception {
        filled();
        sql("insert into flyway_schema_history (installed_rank, version, description, type, script, installed_by,"
                + " execution_time, success) values (9, '999', 'later', 'SQL', 'V999__later.sql', '', 1, 1)");
        refusedAndKept(Kind.NEWER, "newer version of seatrial (schema 999, this one knows " + Migrations.NEWEST + ")");
    }

    @Test
    void aReaderOfAnOlderVersionIsToldWhatToDo() throws Exception {
        filled();
        olderSchema();

        LedgerException told = catchThrowableOfType(
                LedgerException.class, () -> SqlLedger.openReadOnly(file(), InstantSource.system()));
        assertThat(told.kind()).isEqualTo(Kind.OLDER);
    }

    @Test
    void aLedgerOfAnOlderVersionIsBroughtUpToDateWithAllThatIsInIt() throws Exception {
        filled();
        olderSchema();

        try (SqlLedger ledger = SqlLedger.open(file(), InstantSource.system())) {
            assertThat(ledger.openLeases()).hasSize(1);
            assertThat(ledger.spendLimits()).isEmpty();
        }
    }

    private void olderSchema() throws SQLException {
        sql("drop table spend_limit");
        sql("delete from flyway_schema_history where version = '2'");
    }

    @Test
    void aLockedLedgerIsToldToBeLocked() throws Exception {
        filled();
        try (SqlLedger ledger = SqlLedger.open(file(), InstantSource.system(), Duration.ofMillis(200));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement lock = other.createStatement()) {
            lock.execute("begin immediate");

            LedgerException told = catchThrowableOfType(LedgerException.class, () -> ledger.audit("a", "b", "c", NOW));
            assertThat(told.kind()).isEqualTo(Kind.LOCKED);
            assertThat(told).hasMessageContaining("is locked: another process is writing");
            assertThat(ledger.openLeases()).as("reading goes on").hasSize(1);
            LedgerException atOpening = catchThrowableOfType(
                    LedgerException.class,
                    () -> SqlLedger.open(file(), InstantSource.system(), Duration.ofMillis(200)));
            assertThat(atOpening.kind()).isEqualTo(Kind.LOCKED);

            lock.execute("rollback");
            ledger.audit("a", "b", "c", NOW);
            assertThat(ledger.audits(9)).hasSize(1);
        }
    }

    @Test
    void aFullDiskIsToldToBeFull() throws Exception {
        filled();
        try (Connection connection = SqliteDatabase.source(file(), false, Duration.ofSeconds(1))
                        .getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("pragma max_page_count = 1");
            SQLException full = catchThrowableOfType(
                    SQLException.class,
                    () -> statement.execute("insert into audit values (1, hex(zeroblob(100000)), 'b', 'c')"));

            LedgerException told = SqliteErrors.explain(file(), full);
            assertThat(told.kind()).isEqualTo(Kind.FULL);
            assertThat(told).hasMessageStartingWith("no space left for the ledger " + file());
        }
    }

    @Test
    void aDirectoryThatCannotBeMadeIsToldPlainly() throws Exception {
        Path proc = Path.of("/proc/seatrial");
        assumeTrue(Files.isDirectory(proc.getParent()));
        assertRefused(proc.resolve("ledger.db"), Kind.READ_ONLY, "cannot be written: /proc/seatrial");

        Files.writeString(dir.resolve("file"), "x");
        assertRefused(dir.resolve("file/ledger.db"), Kind.READ_ONLY, "is a file, not a directory");
    }

    @Test
    void aDirectoryThatMayNotBeWrittenIsToldPlainly() throws Exception {
        filled();
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("r-x------"));
        try {
            assumeFalse(Files.isWritable(dir), "this user may write everywhere");
            assertRefused(file(), Kind.READ_ONLY, "may not be written");
            assertRefused(dir.resolve("new/ledger.db"), Kind.READ_ONLY, "permission denied");
        } finally {
            Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void aFileThatMayNotBeWrittenIsToldPlainly() throws Exception {
        filled();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("r--------"));
        assumeFalse(Files.isWritable(file()), "this user may write everywhere");

        assertRefused(file(), Kind.READ_ONLY, "cannot be written");
    }

    @Test
    void aReaderMakesNothingAndChangesNothing() throws Exception {
        assertThat(SqlLedger.openReadOnly(file(), InstantSource.system())).isEmpty();
        assertThat(dir).isEmptyDirectory();

        filled();
        byte[] before = Files.readAllBytes(file());
        try (SqlLedger reader =
                SqlLedger.openReadOnly(file(), InstantSource.system()).orElseThrow()) {
            assertThat(reader.leases(EVALUATION)).hasSize(1);
            assertThat(reader.spend(EVALUATION).reserved().isPositive()).isTrue();
            assertThatThrownBy(() -> reader.audit("a", "b", "c", NOW))
                    .isInstanceOfSatisfying(
                            LedgerException.class, e -> assertThat(e.kind()).isEqualTo(Kind.READ_ONLY));
            assertThatThrownBy(() -> granted(reader, "a", Phase.SINGLE, 2, "1")).isInstanceOf(LedgerException.class);
        }
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
    }

    @Test
    void aReaderSeesWhatAWriterCommitsMeanwhile() {
        try (SqlLedger writer = open(file());
                SqlLedger reader =
                        SqlLedger.openReadOnly(file(), InstantSource.system()).orElseThrow()) {
            assertThat(reader.openLeases()).isEmpty();
            Samples.evaluation("10").with("a", "5").in(writer);
            granted(writer, "a", Phase.SINGLE, 1, "4");

            assertThat(reader.openLeases()).hasSize(1);
        }
    }

    // ---- helpers

    private Path file() {
        return dir.resolve("ledger.db");
    }

    private static SqlLedger open(Path file) {
        return SqlLedger.open(file, InstantSource.fixed(NOW));
    }

    /** A ledger with something in it, closed, so that all is in the one file. */
    private void filled() {
        try (SqlLedger ledger = open(file())) {
            Samples.evaluation("10").with("a", "5").in(ledger);
            granted(ledger, "a", Phase.SINGLE, 1, "4");
        }
        assertThat(dir.resolve("ledger.db-wal")).doesNotExist();
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement s = connection.createStatement()) {
            s.execute(statement);
        }
    }

    private void truncate(long size) throws Exception {
        try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
            raw.setLength(size);
        }
    }

    private void refusedAndKept(Kind kind, String words) throws Exception {
        byte[] before = Files.readAllBytes(file());
        refused(kind, words);
        LedgerException told = catchThrowableOfType(
                LedgerException.class, () -> SqlLedger.openReadOnly(file(), InstantSource.system()));
        assertThat(told.kind()).isEqualTo(kind);
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
    }

    private void refused(Kind kind, String words) {
        assertRefused(file(), kind, words);
    }

    private static void assertRefused(Path file, Kind kind, String words) {
        LedgerException told = catchThrowableOfType(LedgerException.class, () -> open(file));
        assertThat(told).isNotNull();
        assertThat(told.kind()).as(told.getMessage()).isEqualTo(kind);
        assertThat(told.getMessage())
                .contains(words)
                .contains(file.getParent().getFileName().toString())
                .doesNotContain("\n")
                .doesNotContain("Exception");
    }

    private static String permissions(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (java.io.IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }
}
