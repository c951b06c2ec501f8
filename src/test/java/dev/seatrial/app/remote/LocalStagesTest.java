package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.plan.StageName;
import dev.seatrial.workflow.StageRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kind {@code local}: the same way, without SSH. */
class LocalStagesTest {
    @TempDir
    Path home;

    @Test
    void thisMachineIsMeasuredAndLeftAsItWas() {
        Target target = new LocalTarget(Optional.empty(), OptionalInt.empty(), Optional.of(home.toString()));
        try (StageFixture fixture = new StageFixture(home, "this-machine", Optional.of(target), Optional.empty())) {
            Path folder = home.resolve("seatrial-" + fixture.lease.id());
            fixture.activities.prepare(fixture.target);
            assertThat(folder.resolve("payload.pyz")).exists();
            for (StageName stage : new StageName[] {StageName.ENVIRONMENT, StageName.NETWORK}) {
                StageRun run = fixture.run(stage, Duration.ofSeconds(80));
                fixture.activities.start(run);
                fixture.await(run);
                assertThat(fixture.activities.finish(run, "ok").reason()).isEqualTo("ended ok");
                assertThat(fixture.events(run)).noneMatch(e -> e.contains("network_upload"));
            }
            fixture.activities.clean(fixture.target);
            assertThat(folder).doesNotExist();
        }
    }
}
