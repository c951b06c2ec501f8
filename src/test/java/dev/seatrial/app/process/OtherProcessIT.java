package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A second terminal while an evaluation runs in the first. */
class OtherProcessIT {
    @TempDir
    Path directory;

    @Test
    void asksAndCancels() {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(first, "compute");
            String id = scene.latest();

            AppProcess second =
                    scene.app("evaluate", scene.plan().toString(), "--json").exits(2);
            assertThat(second.document().path("error").path("message").asText())
                    .contains("pid " + first.pid())
                    .contains(scene.home().toString());
            assertThat(scene.app("resume", "--json")
                            .exits(2)
                            .document()
                            .path("error")
                            .path("message")
                            .asText())
                    .contains("pid " + first.pid());

            AppProcess show = scene.app("show", "--json").exits(0);
            assertThat(show.document().path("status").asText()).isEqualTo("running");
            assertThat(show.stderr()).isEmpty();
            JsonNode lease = scene.app("leases", "--json")
                    .exits(0)
                    .document()
                    .path("leases")
                    .path(0);
            assertThat(lease.path("state").asText()).isEqualTo("READY");
            JsonNode swept = scene.app("sweep", "--json").exits(0).document();
            assertThat(swept.path("seen"))
                    .isNotEmpty()
                    .allMatch(l -> l.path("action").asText().equals("KEEP"));
            assertThat(scene.app("cancel", "no-such-one").exits(2).stderr()).contains("no-such-one");

            scene.app("cancel", id, "--json").exits(0).document();

            first.exits(130);
            assertThat(first.document().path("status").asText()).isEqualTo("cancelled");
            scene.assertNothingLeft();
            assertThat(scene.app("cancel", id).exits(2).stderr()).contains("No evaluation is running");
        }
    }

    @Test
    void givesOneMachineBack() {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(first, "compute");
            String lease = scene.leases().get(0).id();

            scene.app("release", lease, "--json").exits(0).document();

            // The stage could not be told, so the evaluation ends without a verdict on the machine.
            assertThat(first.exit()).isIn(0, 1);
            first.document();
            assertThat(scene.leases().get(0).state()).isEqualTo(LeaseState.RELEASED);
            scene.assertNothingLeft();
            assertThat(scene.app("release", "no-such-lease").exits(2).stderr()).contains("no-such-lease");
        }
    }

    @Test
    void letsATrialGoOnToSeveralGpus() {
        try (Scene scene = Scene.of(directory, "fast")) {
            AppProcess first = scene.app("evaluate", escalation(scene), "--json");
            awaitApproval(scene, first);
            // Waiting bills nothing.
            assertThat(scene.meter().path("running")).isEmpty();

            scene.app("approve", scene.latest(), "acme").exits(0);

            first.exits(0);
            JsonNode leases = first.document().path("trials").path(0).path("leases");
            assertThat(leases).extracting(l -> l.path("gpus").asInt()).containsExactly(1, 2);
            scene.assertNothingLeft();
        }
    }

    @Test
    void refusesToGoOn() {
        try (Scene scene = Scene.of(directory, "fast")) {
            AppProcess first = scene.app("evaluate", escalation(scene), "--json");
            awaitApproval(scene, first);

            scene.app("approve", scene.latest(), "nobody").exits(2);
            scene.app("approve", scene.latest(), "acme", "--refuse").exits(0);

            first.exit();
            assertThat(first.document().path("trials").path(0).path("leases")).hasSize(1);
            scene.assertNothingLeft();
        }
    }

    private static void awaitApproval(Scene scene, AppProcess runs) {
        runs.awaitStderr("waits for your approval");
        assertThat(scene.evaluation(scene.latest()).status()).isEqualTo(EvaluationStatus.AWAITING_APPROVAL);
    }

    private static String escalation(Scene scene) {
        return scene.plan("ladder", """
                        phases:
                          single: { stages: [environment, compute] }
                          multi: { gpus: [2], stages: [environment, interconnect], escalate: approve }
                        """).toString();
    }
}
