package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job against a vendor in another process. */
class EvaluateIT {
    @TempDir
    Path directory;

    @Test
    void aHealthyVendorPassesAndOneDocumentIsPrinted() {
        try (Scene scene = Scene.of(directory, "fast")) {
            AppProcess run =
                    scene.app("evaluate", scene.plan().toString(), "--json").exits(0);

            JsonNode doc = run.document();
            assertThat(doc.path("plan").asText()).isEqualTo("single");
            assertThat(doc.path("status").asText()).isEqualTo("completed");
            assertThat(doc.path("simulated").asBoolean()).isTrue();
            assertThat(doc.path("budget").path("cap").asText()).isEqualTo("20.00");
            assertThat(doc.path("budget").path("spent").asText()).matches("0\\.[0-9]{4}");
            assertThat(doc.path("budget").path("reserved").asText()).isEqualTo("0.0000");
            JsonNode trial = doc.path("trials").path(0);
            assertThat(trial.path("verdict").asText()).isEqualTo("PASS");
            assertThat(trial.path("coverage").fieldNames())
                    .toIterable()
                    .containsExactly("environment", "performance", "stability");
            assertThat(trial.path("leases").path(0).path("state").asText()).isEqualTo("RELEASED");
            assertThat(trial.path("leases").path(0).path("releasedAt").asText()).endsWith("Z");
            assertThat(trial.path("stages").path(1).path("measurements").path(0).fieldNames())
                    .toIterable()
                    .contains("name", "gpu", "value", "unit", "samples", "cv", "reference", "ratio", "verdict");
            scene.assertNothingLeft();
            assertThat(scene.home().resolve("control.json")).doesNotExist();
            assertThat(run.stderr()).contains("[simulated]").doesNotContain("Exception");

            // What was printed can be had again, from a process that has seen nothing.
            String id = doc.path("evaluation").asText();
            assertThat(scene.app("show", "--json").exits(0).document()).isEqualTo(doc);
            assertThat(scene.app("evaluations", "--json")
                            .exits(0)
                            .document()
                            .path("evaluations")
                            .path(0)
                            .path("evaluation")
                            .asText())
                    .isEqualTo(id);
            Path report = scene.home().resolve("reports").resolve(id).resolve("report.en.html");
            assertThat(report).exists();
            scene.app("report", "--lang", "zh").exits(0);
            assertThat(report.resolveSibling("report.zh.html")).exists();
            assertThat(Files.exists(report.resolveSibling("evaluation.json"))).isTrue();
        }
    }

    @Test
    void aCandidateThatFailsIsExitCodeOne() {
        try (Scene scene = Scene.of(directory, "slow-card")) {
            AppProcess run = scene.app("evaluate", scene.plan().toString()).exits(1);

            assertThat(run.stdout()).contains("FAIL").contains("171").contains("seatrial");
            scene.assertNothingLeft();
        }
    }

    @Test
    void aVendorWithoutCapacityIsExitCodeFour() {
        try (Scene scene = Scene.of(directory, "fast")) {
            scene.fault("""
                    {"operation": "create", "action": "status", "status": 403, "code": "quota_exceeded",
                     "message": "You have reached your limit of 0 GPUs."}""");

            AppProcess run =
                    scene.app("evaluate", scene.plan().toString(), "--json").exits(4);

            assertThat(run.document().path("status").asText()).isEqualTo("nothing_rented");
            assertThat(run.document().path("trials").path(0).path("reason").asText())
                    .contains("You have reached your limit of 0 GPUs.");
            scene.assertNothingLeft();
        }
    }

    @Test
    void aCapThatIsTooSmallIsExitCodeThreeWithWhatIsMissing() {
        try (Scene scene = Scene.of(directory, "fast")) {
            Path plan = scene.write("poor.yaml", """
                    plan: poor
                    gpu: A100-SXM4-80G
                    preset: quick
                    budget: { cap: 0.01, currency: CNY }
                    candidates: [{ provider: acme }]
                    phases:
                      single: { stages: [environment, compute] }
                    limits: { provisioning: 20s, evaluation: 10m, stages: { environment: 10s, compute: 20s } }
                    """);

            AppProcess run = scene.app("evaluate", plan.toString(), "--json").exits(3);

            assertThat(run.stdout() + run.stderr()).containsPattern("0\\.[0-9]+ CNY|CNY 0\\.[0-9]+");
            scene.assertNothingRented();
        }
    }
}
