package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code kill -9} of the owner, while the vendor lives on: whoever comes next gives back what is left and proves it. */
class KilledIT {
    @TempDir
    Path directory;

    @ParameterizedTest(name = "{0}, then {1}")
    @CsvSource({
        "CREATING, sweep",
        "CREATING, evaluate",
        "CREATING, resume",
        "PROVISIONING, sweep",
        "PROVISIONING, evaluate",
        "PROVISIONING, resume",
        "READY, sweep",
        "READY, evaluate",
        "READY, resume",
        "RELEASING, sweep",
        "RELEASING, evaluate",
        "RELEASING, resume"
    })
    void isRecovered(LeaseState when, String by) {
        try (Scene scene = Scene.of(directory, when == LeaseState.READY ? "long-stage" : "fast")) {
            String plan = scene.plan().toString();
            String killed = killAt(scene, when, plan);
            scene.clearFaults();

            switch (by) {
                case "sweep" -> {
                    JsonNode doc = scene.app("sweep", "--json").exits(0).document();
                    assertThat(doc.path("clean").asBoolean())
                            .as(doc.toPrettyString())
                            .isTrue();
                    assertThat(scene.evaluation(killed).status()).isEqualTo(EvaluationStatus.INTERRUPTED);
                }
                case "evaluate" -> {
                    JsonNode doc =
                            scene.app("evaluate", plan, "--json").exits(0).document();
                    assertThat(doc.path("evaluation").asText()).isNotEqualTo(killed);
                    assertThat(scene.evaluation(killed).status()).isEqualTo(EvaluationStatus.INTERRUPTED);
                }
                default -> {
                    JsonNode doc =
                            scene.app("resume", killed, "--json").exits(0).document();
                    assertThat(doc.path("evaluation").asText()).isEqualTo(killed);
                    assertThat(doc.path("status").asText()).isEqualTo("completed");
                }
            }

            scene.assertNothingLeft();
        }
    }

    @Test
    void commandsThatOnlyReadWarnAndChangeNothing() {
        try (Scene scene = Scene.of(directory, "long-stage")) {
            String killed = killAt(scene, LeaseState.READY, scene.plan().toString());

            for (String[] command : new String[][] {
                {"show", killed, "--json"},
                {"evaluations", "--json"},
                {"leases", "--json"},
                {"leases", "--all", "--json"}
            }) {
                AppProcess look = scene.app(command).exits(0);
                look.document();
                assertThat(look.stderr()).contains("./seatrial sweep");
            }
            AppProcess dry = scene.app("sweep", "--dry-run", "--json").exits(0);
            assertThat(dry.document().path("clean").asBoolean()).isFalse();

            assertThat(scene.leases()).singleElement().satisfies(l -> assertThat(l.state())
                    .isEqualTo(LeaseState.READY));
            assertThat(scene.evaluation(killed).status()).isEqualTo(EvaluationStatus.RUNNING);
            assertThat(scene.meter().path("running")).hasSize(1);

            scene.app("sweep").exits(0);
            scene.assertNothingLeft();
        }
    }

    @Test
    void resumingDoesNotRunFinishedStagesAgain() {
        try (Scene scene = Scene.of(directory, "long-stage")) {
            String killed = killAt(scene, LeaseState.READY, scene.plan().toString());
            long environments = runs(scene, killed, "environment");

            JsonNode doc = scene.app("resume", "--json").exits(0).document();

            assertThat(doc.path("status").asText()).isEqualTo("completed");
            assertThat(doc.path("trials").path(0).path("verdict").asText()).isEqualTo("PASS");
            assertThat(runs(scene, killed, "environment"))
                    .isEqualTo(environments)
                    .isEqualTo(1);
            assertThat(runs(scene, killed, "compute")).isEqualTo(2);
            scene.assertNothingLeft();

            // There is nothing left to finish.
            scene.app("resume", killed, "--json").exits(2);
        }
    }

    private static long runs(Scene scene, String evaluation, String stage) {
        return scene.ledger(l -> l.stageRuns(evaluation).stream()
                        .filter(r -> r.stage().word().equals(stage))
                        .count())
                .orElseThrow();
    }

    /** @return the evaluation that was running */
    private static String killAt(Scene scene, LeaseState when, String plan) {
        switch (when) {
            // Still carried out after the process that asked is gone.
            case CREATING -> scene.fault("{\"operation\": \"create\", \"action\": \"delay\", \"delayMillis\": 2000}");
            case PROVISIONING -> scene.fault("{\"operation\": \"create\", \"action\": \"never-boots\"}");
            case RELEASING ->
                scene.fault("{\"operation\": \"release\", \"call\": 1, \"action\": \"refuse\", \"seconds\": 4}");
            default -> {
                // A stage that lasts is enough.
            }
        }
        AppProcess run = scene.app("evaluate", plan);
        if (when == LeaseState.READY) {
            scene.awaitStage(run, "compute");
        } else {
            scene.awaitState(run, when);
        }
        run.kill();
        return scene.latest();
    }
}
