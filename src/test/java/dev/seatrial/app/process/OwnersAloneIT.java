package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.LeaseName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Law 2, the owner in another process: {@code seatrial sweep} on another computer, which shares nothing with whoever rented
 * the machine but the vendor's account, and has credentials of its own. All it knows is the name.
 */
class OwnersAloneIT {
    /** What a sweep that goes by the name alone adds to the deadline, for clocks that differ. */
    private static final Duration MARGIN = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    void theSweepInAnotherProcessWithItsOwnCredentials() throws Exception {
        try (Scene scene = Scene.of(directory.resolve("here"), "fast")) {
            // So near its end that the margin is over in seconds; rented by somebody who is no more.
            Instant deadline = Instant.ofEpochSecond(Instant.now().minus(MARGIN).getEpochSecond() + 8);
            scene.rentUnder(new LeaseName("gone1111", "orphanlease", deadline).text());
            Path there = Files.createDirectories(directory.resolve("there"));
            Path config = Files.writeString(there.resolve("config.yaml"), """
                    providers:
                      same-account: { kind: sim, url: "%s", apiKey: "env:SWEEPERS_KEY" }
                    """.formatted(scene.vendor()));
            Map<String, String> environment =
                    Map.of("SEATRIAL_HOME", there.resolve("home").toString(), "SWEEPERS_KEY", "sim-key");

            int rounds = 0;
            while (!scene.meter().path("running").isEmpty() && rounds++ < 30) {
                try (AppProcess sweep =
                        AppProcess.start(there, environment, List.of("sweep", "--config", config.toString()))) {
                    sweep.exit();
                }
            }

            JsonNode instance = scene.meter().path("instances").path(0);
            Duration after =
                    Duration.between(deadline, Instant.parse(instance.path("to").asText()));
            System.out.printf(
                    "owner alone: %-24s gone %5.1f s after the deadline, %.1f s after its margin%n",
                    "sweep in another process",
                    after.toMillis() / 1000.0,
                    after.minus(MARGIN).toMillis() / 1000.0);
            assertThat(after).as("never before deadline and margin").isGreaterThan(MARGIN);
            assertThat(after).isLessThan(MARGIN.plus(Duration.ofSeconds(90)));
            assertThat(rounds).as("it was left alone at first").isGreaterThanOrEqualTo(1);
        }
    }
}
