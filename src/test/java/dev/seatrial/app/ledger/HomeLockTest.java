package dev.seatrial.app.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.app.ledger.HomeLock.Acquired;
import dev.seatrial.app.ledger.HomeLock.HeldBy;
import dev.seatrial.app.ledger.HomeLock.Outcome;
import dev.seatrial.app.ledger.HomeLock.Owner;
import dev.seatrial.domain.ledger.LedgerException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class HomeLockTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    Path dir;

    @Test
    void oneProcessOwnsTheDirectoryUntilItLetsGo() throws Exception {
        Path home = dir.resolve("data/home");
        Acquired first = acquired(home);
        long pid = ProcessHandle.current().pid();

        assertThat(first.ownerId()).matches("[a-z0-9]{12}");
        assertThat(acquire(home)).isEqualTo(new HeldBy(pid, NOW, OptionalInt.empty()));
        first.publish(8123);
        assertThat(HomeLock.owner(home)).contains(new Owner(first.ownerId(), pid, NOW, OptionalInt.of(8123)));
        assertThat(HomeLock.ownerAlive(home, first.ownerId())).isTrue();
        assertThat(HomeLock.ownerAlive(home, "somebodyelse")).isFalse();
        for (Path file : List.of(home.resolve("owner.lock"), home.resolve("owner.json"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
                .isEqualTo("rwx------");

        first.close();
        first.close();
        assertThat(HomeLock.owner(home)).isEmpty();
        assertThat(HomeLock.ownerAlive(home, first.ownerId())).isFalse();
        try (Acquired second = acquired(home)) {
            assertThat(second.ownerId()).isNotEqualTo(first.ownerId());
            first.close();
            assertThat(HomeLock.ownerAlive(home, second.ownerId())).isTrue();
        }
    }

    @Test
    void askingInTheOwnersProcessDoesNotDropItsLock() throws Exception {
        Path link = dir.resolve("link");
        Path home = Files.createDirectory(dir.resolve("home"));
        Files.createSymbolicLink(link, home);
        try (Acquired mine = acquired(home)) {
            assertThat(HomeLock.ownerAlive(link, mine.ownerId())).isTrue();
            assertThat(HomeLock.ownerAlive(home, "somebodyelse")).isFalse();
            assertThat(HomeLock.owner(link)).isPresent();
            assertThat(acquire(link)).isInstanceOf(HeldBy.class);

            try (ChildJvm other = ChildJvm.start(HomeLockChild.class, home.toString())) {
                assertThat(other.await(""))
                        .isEqualTo("held " + ProcessHandle.current().pid());
            }
        }
    }

    @Test
    void anotherProcessIsRefusedAndToldTheOwnersPid() throws Exception {
        try (ChildJvm owner = ChildJvm.start(HomeLockChild.class, dir.toString())) {
            String id = owner.await("acquired ").substring("acquired ".length());

            assertThat(acquire(dir)).isInstanceOfSatisfying(HeldBy.class, held -> {
                assertThat(held.pid()).isEqualTo(owner.pid());
                assertThat(held.controlPort()).hasValue(4242);
            });
            assertThat(HomeLock.ownerAlive(dir, id)).isTrue();
            assertThat(HomeLock.ownerAlive(dir, "anearlierone")).isFalse();
            assertThat(HomeLock.owner(dir))
                    .hasValueSatisfying(o -> assertThat(o.id()).isEqualTo(id));
        }
    }

    @Test
    void aKilledOwnerIsProvenDeadAndItsDirectoryFree() throws Exception {
        String id;
        try (ChildJvm owner = ChildJvm.start(HomeLockChild.class, dir.toString())) {
            id = owner.await("acquired ").substring("acquired ".length());
            owner.kill();
        }

        assertThat(dir.resolve("owner.json")).exists();
        assertThat(HomeLock.ownerAlive(dir, id)).isFalse();
        assertThat(HomeLock.owner(dir)).isEmpty();
        try (Acquired mine = acquired(dir)) {
            assertThat(HomeLock.ownerAlive(dir, id)).isFalse();
            assertThat(HomeLock.ownerAlive(dir, mine.ownerId())).isTrue();
        }
    }

    @Test
    void ofManyAskersOneGetsTheDirectory() throws Exception {
        List<Outcome> outcomes = LedgerContract.together(16, i -> acquire(dir));

        List<Outcome> winners =
                outcomes.stream().filter(Acquired.class::isInstance).toList();
        assertThat(winners).hasSize(1);
        ((Acquired) winners.get(0)).close();
    }

    @Test
    void anOwnerFileThatIsNotOursIsNoObstacle() throws Exception {
        Files.writeString(dir.resolve("owner.json"), "{\"id\": [], \"since\": 7, ");
        assertThat(HomeLock.ownerAlive(dir, "anybody")).isFalse();
        acquired(dir).close();

        assertThat(HomeLock.ownerAlive(dir.resolve("missing"), "anybody")).isFalse();
        assertThat(HomeLock.owner(dir.resolve("missing"))).isEmpty();
    }

    @Test
    void aDirectoryThatCannotBeUsedIsToldPlainly() throws Exception {
        Files.writeString(dir.resolve("file"), "x");

        assertThatThrownBy(() -> acquire(dir.resolve("file")))
                .isInstanceOf(LedgerException.class)
                .hasMessage("the data directory " + dir.resolve("file") + " cannot be written: " + dir.resolve("file")
                        + ": is a file, not a directory");
    }

    private static Outcome acquire(Path home) {
        return HomeLock.acquire(home, InstantSource.fixed(NOW));
    }

    private static Acquired acquired(Path home) {
        Outcome outcome = acquire(home);
        assertThat(outcome).isInstanceOf(Acquired.class);
        return (Acquired) outcome;
    }
}
