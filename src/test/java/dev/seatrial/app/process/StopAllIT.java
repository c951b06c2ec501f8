package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.provider.LeaseName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything is stopped by one command, whatever state the rest is in; the vendor's meter is the judge. */
class StopAllIT {
    @TempDir
    Path directory;

    @Test
    void cancelsWhatRunsAndPermitsNothingNewUntilResumed() {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(first, "compute");

            AppProcess stop = scene.app("stop", "--all", "--json").exits(0);

            assertThat(stop.document().path("clean").asBoolean()).isTrue();
            first.exits(130);
            scene.assertNothingLeft();
            assertThat(scene.evaluation(scene.latest()).status()).isEqualTo(EvaluationStatus.CANCELLED);

            AppProcess refused = scene.app("evaluate", scene.plan().toString()).exits(3);
            assertThat(refused.stderr()).contains("Spending is stopped since").contains("resume-spending");
            assertThat(scene.meter().path("created").asInt()).isEqualTo(1);
            scene.app("stop", "--all").exits(0);

            assertThat(scene.app("resume-spending").exits(0).stdout()).contains("permitted again");
            assertThat(scene.app("resume-spending").exits(0).stdout()).contains("was not stopped");
            AppProcess again = scene.app("evaluate", scene.plan().toString());
            scene.awaitState(again, LeaseState.READY);
            scene.app("stop", "--all").exits(0);
            again.exits(130);
        }
    }

    @Test
    void goesByNamesWhenTheLedgerIsBroken() throws IOException {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(first, "compute");
            String theirs =
                    new LeaseName("other111", "theirlease1", Instant.now().plus(Duration.ofHours(1))).text();
            scene.rentUnder(theirs);
            first.kill();
            for (String suffix : new String[] {"", "-wal", "-shm"}) {
                Files.write(
                        scene.home().resolve("ledger.db" + suffix),
                        "this is no ledger any more".repeat(400).getBytes(StandardCharsets.UTF_8));
            }

            AppProcess stop = scene.app("stop", "--all", "--json").exits(0);

            assertThat(stop.document().path("ledgerTrouble").asText()).isNotEmpty();
            JsonNode meter = scene.meter();
            assertThat(meter.path("running")).as(meter.toPrettyString()).hasSize(1);
            assertThat(meter.path("instances"))
                    .filteredOn(i -> i.path("name").asText().equals(theirs))
                    .allMatch(i -> i.path("state").asText().equals("running"));
            assertThat(scene.app("evaluate", scene.plan().toString()).exits(3).stderr())
                    .contains("Spending is stopped");
        }
    }

    @Test
    void goesByNamesWhileTheLedgerIsLocked() throws SQLException {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(first, "compute");
            first.kill();
            try (Connection other = DriverManager.getConnection(
                            "jdbc:sqlite:" + scene.home().resolve("ledger.db"));
                    Statement lock = other.createStatement()) {
                lock.execute("begin immediate");

                scene.app("stop", "--all").exits(0);

                assertThat(scene.meter().path("running")).isEmpty();
                lock.execute("rollback");
            }
            // Later, with the ledger back, the rows are closed too.
            scene.app("stop", "--all").exits(0);
            assertThat(scene.leases()).extracting(LeaseRow::state).containsExactly(LeaseState.RELEASED);
        }
    }

    @Test
    void saysSoWhenSomethingIsNotProvenGone() {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(first, "compute");
            first.kill();
            scene.fault(
                    "{\"operation\": \"release\", \"action\": \"status\", \"status\": 503, \"effect\": \"before\"}");

            AppProcess stop = scene.app("stop", "--all", "--wait", "0").exits(5);

            assertThat(stop.stderr()).contains("Not everything is proven gone");
            scene.clearFaults();
            scene.app("stop", "--all").exits(0);
            scene.assertNothingLeft();
        }
    }

    @Test
    void needsToBeMeant() {
        try (Scene scene = Scene.of(directory, "fast")) {
            assertThat(scene.app("stop").exits(2).stderr()).contains("stop --all");
            assertThat(scene.app("evaluations").exits(0).stderr()).isEmpty();
        }
    }
}
