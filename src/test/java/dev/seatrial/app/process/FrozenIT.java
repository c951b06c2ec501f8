package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The owner is frozen past a deadline: it holds its lock and says nothing. Somebody else's sweep gives the machine back. */
class FrozenIT {
    @TempDir
    Path directory;

    @Test
    void aSweepElsewhereOwnsTheDeadlineAndTheOneThatWakesHarmsNothing() {
        try (Scene scene = Scene.of(directory, "no-own-deletion")) {
            Path plan = scene.write("short.yaml", """
                    plan: short
                    gpu: A100-SXM4-80G
                    preset: quick
                    budget: { cap: 20, currency: CNY }
                    accept: [cap-not-guaranteed-offline]
                    candidates:
                      - { provider: acme }
                    phases:
                      single: { stages: [environment, compute] }
                    limits:
                      provisioning: 5s
                      evaluation: 2h
                      stages: { environment: 2s, compute: 8s }
                    """);
            AppProcess run = scene.app("evaluate", plan.toString(), "--json");
            scene.awaitStage(run, "compute");
            run.signal("STOP");
            LeaseRow lease = scene.leases().get(0);
            // Before the deadline nobody else touches what a living owner holds.
            scene.app("sweep").exits(0);
            assertThat(scene.meter().path("running")).hasSize(1);

            await("the deadline")
                    .atMost(AppProcess.LIMIT)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> Clock.systemUTC()
                            .instant()
                            .isAfter(lease.timing().deadline().plusSeconds(1)));
            await("a sweep gives it back").atMost(AppProcess.LIMIT).until(() -> {
                scene.app("sweep").exit();
                return scene.meter().path("running").isEmpty();
            });
            scene.app("sweep").exits(0);
            assertThat(scene.leases()).singleElement().satisfies(l -> assertThat(l.state())
                    .isEqualTo(LeaseState.RELEASED));

            run.signal("CONT");

            assertThat(run.exit()).isNotEqualTo(70);
            run.document();
            assertThat(scene.meter().path("created").asInt()).isLessThanOrEqualTo(2);
            scene.assertNothingLeft();
        }
    }
}
