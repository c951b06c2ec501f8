package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.LeaseState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl-C and SIGTERM: everything is given back, whatever was going on. */
class SignalsIT {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void whileAMachineIsBeingMade(String signal) {
        try (Scene scene = Scene.of(directory, "fast")) {
            scene.fault("{\"operation\": \"create\", \"action\": \"never-boots\"}");
            AppProcess run = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitState(run, LeaseState.PROVISIONING);

            send(run, signal);

            cancelled(scene, run);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void whileACreateIsInFlight(String signal) {
        try (Scene scene = Scene.of(directory, "fast")) {
            scene.fault("{\"operation\": \"create\", \"action\": \"delay\", \"delayMillis\": 3000}");
            AppProcess run = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitState(run, LeaseState.CREATING);

            send(run, signal);

            cancelled(scene, run);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void whileAStageRuns(String signal) {
        try (Scene scene = Scene.of(directory, "endless-stage")) {
            AppProcess run = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitStage(run, "compute");

            send(run, signal);

            cancelled(scene, run);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void whileAReleaseIsRefused(String signal) {
        try (Scene scene = Scene.of(directory, "fast")) {
            scene.fault("{\"operation\": \"release\", \"call\": 1, \"action\": \"refuse\", \"seconds\": 4}");
            AppProcess run = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitState(run, LeaseState.RELEASING);

            send(run, signal);

            cancelled(scene, run);
        }
    }

    @Test
    void theSecondTellsWhatBillsAndTheThirdLeavesWithFive() {
        try (Scene scene = Scene.of(directory, "fast")) {
            scene.fault("{\"operation\": \"release\", \"action\": \"refuse\", \"seconds\": 3600}");
            AppProcess run = scene.app("evaluate", scene.plan().toString(), "--json");
            scene.awaitState(run, LeaseState.RELEASING);

            run.interrupt();
            run.awaitStderr("every machine is being given back");
            run.interrupt();
            run.awaitStderr("9.00 CNY per hour").awaitStderr("./seatrial sweep");
            assertThat(run.alive()).isTrue();
            run.interrupt();

            run.exits(5);
            assertThat(run.document().path("error").path("exitCode").asInt()).isEqualTo(5);
            assertThat(scene.meter().path("running")).hasSize(1);
        }
    }

    private static void send(AppProcess run, String signal) {
        if (signal.equals("INT")) {
            run.interrupt();
        } else {
            run.terminate();
        }
    }

    private static void cancelled(Scene scene, AppProcess run) {
        run.exits(130);
        assertThat(run.document().path("status").asText()).isEqualTo("cancelled");
        scene.assertNothingLeft();
        assertThat(scene.home().resolve("control.json")).doesNotExist();
    }
}
