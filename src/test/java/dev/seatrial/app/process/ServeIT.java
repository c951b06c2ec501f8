package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service in its own process, and commands that hand their work to it. */
class ServeIT {
    @TempDir
    Path directory;

    @Test
    void runsWhatOtherCommandsHandOver() {
        try (Scene scene = Scene.of(directory, "fast")) {
            AppProcess serve = serve(scene);

            AppProcess run =
                    scene.app("evaluate", scene.plan().toString(), "--json").exits(0);

            assertThat(run.document().path("status").asText()).isEqualTo("completed");
            assertThat(run.stderr()).contains("started in the service");
            assertThat(scene.app("show", "--json")
                            .exits(0)
                            .document()
                            .path("status")
                            .asText())
                    .isEqualTo("completed");
            assertThat(serve.alive()).isTrue();
            serve.terminate();
            serve.exits(0);
            scene.assertNothingLeft();
        }
    }

    @Test
    void refusesABadPlanInTheWordsOfTheCommand() {
        try (Scene scene = Scene.of(directory, "fast")) {
            AppProcess serve = serve(scene);
            Path plan =
                    scene.plan("impossible", "phases:\n  single: { stages: [environment] }\n  multi: { gpus: [7] }\n");

            String served = scene.app("evaluate", plan.toString()).exits(2).stderr();

            serve.terminate();
            serve.exits(0);
            assertThat(served).contains("impossible.yaml:").contains("7");
            assertThat(scene.app("evaluate", plan.toString()).exits(2).stderr())
                    .contains(served.lines()
                            .filter(l -> l.contains("impossible.yaml:"))
                            .findFirst()
                            .orElseThrow());
            scene.assertNothingRented();
        }
    }

    @Test
    void oneKeyStartsOneEvaluationAlsoAfterARestart() throws IOException, InterruptedException {
        try (Scene scene = Scene.of(directory, "fast")) {
            AppProcess first = serve(scene);
            String plan = Files.readString(scene.plan());
            HttpResponse<String> started = post(scene, plan, "night-1");
            assertThat(started.statusCode()).as(started.body()).isEqualTo(201);
            String id = json(started).path("evaluation").asText();
            assertThat(json(post(scene, plan, "night-1")).path("evaluation").asText())
                    .isEqualTo(id);
            assertThat(post(scene, plan.replace("cap: 20", "cap: 19"), "night-1")
                            .statusCode())
                    .isEqualTo(409);
            assertThat(post(scene, plan, "").statusCode()).isEqualTo(400);
            await().atMost(AppProcess.LIMIT)
                    .until(() -> scene.evaluation(id).status().ended());
            first.terminate();
            first.exits(0);

            AppProcess second = serve(scene);
            assertThat(json(post(scene, plan, "night-1")).path("evaluation").asText())
                    .isEqualTo(id);

            second.terminate();
            second.exits(0);
            assertThat(scene.meter().path("created").asInt()).isEqualTo(1);
            scene.assertNothingLeft();
        }
    }

    @Test
    void takesUpWhatAKilledServiceLeftAndFinishesIt() {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess first = serve(scene);
            AppProcess watcher = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitState(watcher, LeaseState.READY);
            String id = scene.latest();
            first.kill();

            AppProcess second = serve(scene);

            second.awaitStderr("was interrupted");
            await().atMost(AppProcess.LIMIT)
                    .until(() -> scene.meter().path("running").isEmpty());
            // The one that only watched sees the end too.
            watcher.exit();
            assertThat(scene.evaluation(id).status()).isEqualTo(EvaluationStatus.INTERRUPTED);
            AppProcess resumed = scene.app("resume", id, "--json");
            scene.awaitStage(resumed, "compute");
            second.terminate();
            second.exits(130);
            resumed.exits(130);
            scene.assertNothingLeft();
        }
    }

    @Test
    void saysSoWhenItsPortIsTaken() throws IOException {
        try (Scene scene = Scene.of(directory, "fast");
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());

            AppProcess serve = scene.app("serve", "--port", port, "--json").exits(2);

            assertThat(serve.stderr()).contains(port).contains("in use").doesNotContain("Exception");
            assertThat(scene.app("serve", "--port", "70000").exits(2).stderr()).contains("70000");
        }
    }

    private static AppProcess serve(Scene scene) {
        return scene.app("serve", "--port", "0").awaitStderr("Seatrial serves");
    }

    private static HttpResponse<String> post(Scene scene, String plan, String key)
            throws IOException, InterruptedException {
        JsonNode control =
                new ObjectMapper().readTree(scene.home().resolve("control.json").toFile());
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(control.path("url").asText() + "/api/v1/evaluations"))
                .header("Authorization", "Bearer " + control.path("token").asText())
                .header("Content-Type", "application/yaml")
                .POST(HttpRequest.BodyPublishers.ofString(plan));
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> response) throws IOException {
        return new ObjectMapper().readTree(response.body());
    }
}
