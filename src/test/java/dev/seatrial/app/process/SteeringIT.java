package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.ledger.EvaluationStatus;
import java.math.BigDecimal;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steering a running evaluation from a second terminal. */
class SteeringIT {
    @TempDir
    Path directory;

    @Test
    void raisesCapsSkipsAStageAndCancelsOneTrial() {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            scene.write(
                    "config.yaml", scene.configuration() + "  other: { kind: sim, url: \"" + scene.vendor() + "\" }\n");
            Path plan = scene.write("two.yaml", """
                    plan: two
                    gpu: A100-SXM4-80G
                    preset: quick
                    budget: { cap: 20, currency: CNY }
                    candidates:
                      - { provider: acme, cap: 9 }
                      - { provider: other }
                    phases:
                      single: { stages: [environment, compute] }
                    limits:
                      provisioning: 20s
                      evaluation: 2h
                      stages: { environment: 10s, compute: 5m }
                    """);
            AppProcess first = scene.app("evaluate", plan.toString(), "--json");
            scene.awaitStage(first, "compute");
            String id = scene.latest();

            scene.app("raise-cap", id, "--to", "30").exits(0);
            scene.app("raise-cap", id, "--candidate", "acme", "--to", "12.50").exits(0);
            assertThat(scene.app("raise-cap", id, "--to", "5").exits(2).stderr())
                    .contains("can only be raised");
            assertThat(scene.app("raise-cap", id, "--candidate", "other", "--to", "5")
                            .exits(2)
                            .stderr())
                    .contains("has no cap of its own");
            await("the caps are written").atMost(AppProcess.LIMIT).until(() -> scene.ledger(
                            l -> l.cap(id).getAmount().compareTo(new BigDecimal("30")) == 0
                                    && l.candidateCap(id, "acme")
                                                    .orElseThrow()
                                                    .getAmount()
                                                    .compareTo(new BigDecimal("12.50"))
                                            == 0)
                    .orElse(false));

            assertThat(scene.app("skip", id, "--candidate", "nobody").exits(2).stderr())
                    .contains("nobody");
            assertThat(scene.app("skip", id, "--candidate", "acme", "--stage", "storage")
                            .exits(2)
                            .stderr())
                    .contains("storage");
            await("both measure").atMost(AppProcess.LIMIT).until(() -> scene.ledger(l -> l.stageRuns(id).stream()
                                    .filter(r -> r.stage().word().equals("compute"))
                                    .count()
                            == 2)
                    .orElse(false));
            scene.app("skip", id, "--candidate", "acme").exits(0);
            scene.app("cancel", id, "--candidate", "other").exits(0);
            assertThat(scene.app("cancel", id, "--candidate", "nobody").exits(2).stderr())
                    .contains("nobody");

            first.exit();
            JsonNode document = first.document();
            assertThat(document.path("trials").path(0).path("stages"))
                    .anyMatch(s -> s.path("stage").asText().equals("compute")
                            && s.path("verdict").asText().equals("SKIPPED"));
            assertThat(document.path("trials").path(1).path("reason").asText()).isEqualTo("cancelled by control");
            assertThat(scene.evaluation(id).status()).isEqualTo(EvaluationStatus.COMPLETED);
            scene.assertNothingLeft();
        }
    }
}
