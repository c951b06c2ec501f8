package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The owner is killed with SIGKILL after every single thing that it writes down, from the first row to the last, and
 * {@code resume} finishes what it began. The vendor's meter judges after each.
 */
class CrashPointsIT {
    /** The fewest things that an evaluation with one machine and two stages can write down. */
    private static final int LEAST = 10;

    @TempDir
    Path directory;

    @Test
    void killedAfterEveryTransition() {
        try (Scene scene = Scene.of(directory, "brisk")) {
            String plan = scene.plan().toString();
            scene.app("evaluate", plan).exits(0);
            long all = transitions(scene, scene.latest());
            assertThat(all).isGreaterThanOrEqualTo(LEAST);

            int interrupted = 0;
            for (long after = 1; after < all; after++) {
                interrupted += killAndResume(scene, plan, after) ? 1 : 0;
            }

            System.out.printf("killed after each of %d transitions; %d evaluations resumed%n", all - 1, interrupted);
            // Some kills come when the end is written already, never most.
            assertThat(interrupted).isGreaterThan((int) all / 2);
        }
    }

    /** @return whether there was something to resume */
    private static boolean killAndResume(Scene scene, String plan, long after) {
        String before = scene.latest();
        AppProcess run = scene.app("evaluate", plan);
        await("transition " + after)
                .atMost(AppProcess.LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> !scene.latest().equals(before) && transitions(scene, scene.latest()) >= after);
        run.kill();
        String killed = scene.latest();
        boolean ended = scene.evaluation(killed).status().ended();
        List<String> finished = finished(scene, killed);

        if (!ended) {
            JsonNode doc = scene.app("resume", killed, "--json").exits(0).document();
            assertThat(doc.path("status").asText()).as("killed after %d", after).isEqualTo("completed");
            assertThat(doc.path("trials").path(0).path("verdict").asText()).isEqualTo("PASS");
        } else {
            scene.app("sweep").exits(0);
        }

        assertThat(scene.evaluation(killed).status()).isEqualTo(EvaluationStatus.COMPLETED);
        assertThat(runs(scene, killed))
                .as("finished before the kill after %d, and not run again", after)
                .allSatisfy((stage, times) ->
                        assertThat(finished.contains(stage) ? times : 1L).isEqualTo(1));
        scene.assertNothingLeft();
        return !ended;
    }

    private static long transitions(Scene scene, String evaluation) {
        return scene.ledger(l -> transitions(l, evaluation)).orElse(0L);
    }

    /** Everything written down that a crash can fall between: the row, each move of a lease, each stage's start, end and result. */
    private static long transitions(Ledger ledger, String evaluation) {
        long moves =
                ledger.leases(evaluation).stream().mapToLong(LeaseRow::fence).sum();
        List<StageRunRow> stages = ledger.stageRuns(evaluation);
        long ended = stages.stream().filter(s -> s.endedAt().isPresent()).count();
        long results = ledger.trials(evaluation).stream()
                .mapToLong(t -> ledger.stageResults(evaluation, t.candidate()).size())
                .sum();
        return 1 + moves + ledger.leases(evaluation).size() + stages.size() + ended + results;
    }

    private static List<String> finished(Scene scene, String evaluation) {
        return scene.ledger(l -> l.trials(evaluation).stream()
                        .flatMap(t -> l.stageResults(evaluation, t.candidate()).stream())
                        .map(r -> r.gpus() + " GPU " + r.stage().word())
                        .toList())
                .orElse(List.of());
    }

    private static Map<String, Long> runs(Scene scene, String evaluation) {
        return scene.ledger(l -> l.stageRuns(evaluation).stream()
                        .collect(Collectors.groupingBy(
                                r -> r.gpus() + " GPU " + r.stage().word(), Collectors.counting())))
                .orElse(Map.of());
    }
}
