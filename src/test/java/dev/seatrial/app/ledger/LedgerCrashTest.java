package dev.seatrial.app.ledger;

import static dev.seatrial.app.ledger.Samples.EVALUATION;
import static dev.seatrial.app.ledger.Samples.NOW;
import static dev.seatrial.app.ledger.Samples.OWNER;
import static dev.seatrial.app.ledger.Samples.cny;
import static dev.seatrial.app.ledger.Samples.granted;
import static dev.seatrial.app.ledger.Samples.intent;
import static dev.seatrial.app.ledger.Samples.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.plan.Phase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was committed is there after the process that wrote it has died, and two processes share one ledger. */
@Timeout(120)
class LedgerCrashTest {
    @TempDir
    Path home;

    @RepeatedTest(5)
    void aMoveIsThereWhenTheProcessHaltsRightAfterIt() throws Exception {
        LeaseRow lease = recordedLease();

        try (ChildJvm child = ChildJvm.start(LedgerChild.class, file().toString(), "halt", lease.id())) {
            assertThat(child.ended()).isEqualTo(9);
        }

        try (SqlLedger ledger = open()) {
            LeaseRow after = ledger.lease(lease.id()).orElseThrow();
            assertThat(after.state()).isEqualTo(LeaseState.CREATING);
            assertThat(after.sentAt()).contains(NOW.plusSeconds(1));
            assertThat(ledger.leaseEvents(lease.id())).hasSize(2);
        }
    }

    @RepeatedTest(5)
    void everyMoveThatReturnedIsThereAfterAKill() throws Exception {
        LeaseRow lease = recordedLease();

        List<String> last;
        try (ChildJvm child = ChildJvm.start(LedgerChild.class, file().toString(), "loop", lease.id())) {
            child.await("fence 20");
            last = child.kill();
        }

        // A line may have been cut by the kill; what was told before it has been committed.
        long told = last.stream()
                .filter(line -> line.matches("fence [0-9]+"))
                .limit(Math.max(0, last.size() - 1))
                .mapToLong(line -> Long.parseLong(line.substring(6)))
                .max()
                .orElse(20);
        long walBefore = Files.size(home.resolve("ledger.db-wal"));
        byte[] before = Files.readAllBytes(file());
        try (SqlLedger reader =
                SqlLedger.openReadOnly(file(), InstantSource.system()).orElseThrow()) {
            assertThat(reader.lease(lease.id()).orElseThrow().fence()).isGreaterThanOrEqualTo(told);
        }
        assertThat(Files.readAllBytes(file())).as("reading changes nothing").isEqualTo(before);
        assertThat(Files.size(home.resolve("ledger.db-wal"))).isEqualTo(walBefore);
        try (SqlLedger ledger = open()) {
            LeaseRow after = ledger.lease(lease.id()).orElseThrow();
            assertThat(after.fence()).isGreaterThanOrEqualTo(told);
            assertThat(ledger.leaseEvents(lease.id()))
                    .as("row and story are of one transaction")
                    .hasSize((int) after.fence());
            assertThat(after.instance().orElseThrow().value()).isEqualTo("i-" + (after.fence() - 1));
        }
    }

    @Test
    void twoProcessesTogetherNeverGetMoreThanTheCap() throws Exception {
        try (SqlLedger ledger = open()) {
            Samples.evaluation("10").with("ours", "0").with("theirs", "0").in(ledger);
            try (ChildJvm child =
                    ChildJvm.start(LedgerChild.class, file().toString(), "reserve", "theirs", "60", "0.17")) {
                child.await("ready");
                int ours = 0;
                for (int i = 1; i <= 60; i++) {
                    Grant grant = ledger.reserve(intent(key("ours", Phase.SINGLE, i), "0.17"), OWNER);
                    ours += grant instanceof Grant.Granted ? 1 : 0;
                }
                int theirs = Integer.parseInt(child.await("granted ").substring("granted ".length()));

                assertThat(child.ended()).isZero();
                assertThat(ours + theirs).isEqualTo(58);
                assertThat(ledger.spend(EVALUATION).reserved()).isEqualTo(cny("9.86"));
            }
        }
    }

    private LeaseRow recordedLease() {
        try (SqlLedger ledger = open()) {
            Samples.evaluation("10").with("steady", "5").in(ledger);
            return granted(ledger, "steady", Phase.SINGLE, 1, "4");
        }
    }

    private SqlLedger open() {
        return SqlLedger.open(file(), InstantSource.fixed(NOW));
    }

    private Path file() {
        return home.resolve("ledger.db");
    }
}
