package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.StageRun;
import io.temporal.failure.ApplicationFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real payload over real SSH on this machine. */
class StageActivitiesTest {
    @TempDir
    Path home;

    private HostServer host;
    private StageFixture fixture;

    @BeforeEach
    void start() {
        host = HostServer.start();
        fixture = new StageFixture(home, "vendor", Optional.empty(), Optional.of(host.port()));
        host.trusting(fixture.keys.keyPair(fixture.lease.id()));
    }

    @AfterEach
    void stop() {
        fixture.activities.clean(fixture.target);
        fixture.close();
        host.close();
    }

    private Path folder() {
        return Path.of(System.getProperty("java.io.tmpdir"), "seatrial-" + fixture.lease.id());
    }

    private TaskSpec task(Optional<String> upload, Optional<String> data, String command) {
        return new TaskSpec(
                upload,
                data,
                Map.of(),
                Optional.empty(),
                command,
                Duration.ofSeconds(40),
                Map.of("speed", new TaskSpec.Metric("speed=([0-9.]+)", "it/s", true)),
                Map.of());
    }

    @Test
    void anEnvironmentIsMeasuredFromStartToCleanFolder() {
        StageRun run = fixture.run(StageName.ENVIRONMENT, Duration.ofSeconds(80));
        fixture.activities.prepare(fixture.target);
        fixture.activities.prepare(fixture.target);
        assertThat(folder().resolve("payload.pyz")).exists();
        fixture.activities.start(run);
        fixture.activities.start(run);
        fixture.await(run);
        assertThat(fixture.activities.finish(run, "ok").reason()).isEqualTo("ended ok");
        assertThat(fixture.row(run).end()).isEqualTo("ok");
        assertThat(fixture.events(run))
                .anyMatch(e -> e.contains("\"name\":\"host\""))
                .anyMatch(e -> e.contains("host_cpu_single_core"))
                .filteredOn(e -> e.contains("\"type\":\"end\""))
                .hasSize(1);
        assertThat(fixture.ledger.artifacts(run.id()))
                .extracting(ArtifactRow::name)
                .contains("spec.json");
        assertThat(fixture.ledger.leaseEvents(fixture.lease.id()))
                .filteredOn(e -> e.type().equals("host-key"))
                .singleElement()
                .satisfies(e -> assertThat(e.detail()).contains(host.fingerprint(), "trusted on first use"));
        fixture.activities.clean(fixture.target);
        assertThat(folder()).doesNotExist();
        assertThat(home.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void aConnectionThatDropsIsNeverTheStagesFailure() {
        fixture.task(
                task(Optional.empty(), Optional.empty(), "for i in 1 2 3 4 5 6; do echo speed=$i; sleep 0.7; done"));
        StageRun run = fixture.run(StageName.TASK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        assertThat(fixture.once(run))
                .hasValueSatisfying(e -> assertThat(e.getType()).isEqualTo(NotYet.TYPE));
        int port = host.port();
        var hostKeys = host.hostKeys();
        host.close();
        assertThat(fixture.once(run))
                .hasValueSatisfying(e -> assertThat(e.getType()).isEqualTo(NotYet.TRANSPORT));
        host = HostServer.with(hostKeys, port).trusting(fixture.keys.keyPair(fixture.lease.id()));
        fixture.await(run);
        fixture.activities.finish(run, "ok");
        assertThat(fixture.row(run).end()).isEqualTo("ok");
        List<Long> numbers =
                fixture.ledger.stageEvents(run.id()).stream().map(e -> e.seq()).toList();
        assertThat(numbers).doesNotHaveDuplicates().isSorted();
        assertThat(fixture.events(run)).anyMatch(e -> e.contains("\"name\":\"speed\"") && e.contains("\"value\":6"));
    }

    @Test
    void anotherProcessGoesOnWhereTheFirstOneDied() {
        fixture.task(task(Optional.empty(), Optional.empty(), "sleep 2; echo speed=1"));
        StageRun run = fixture.run(StageName.TASK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        fixture.once(run);
        try (StageActivitiesImpl second = fixture.activities()) {
            second.start(run);
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
                try {
                    second.await(run);
                    return true;
                } catch (ApplicationFailure e) {
                    return false;
                }
            });
            assertThat(second.finish(run, "ok").reason()).isEqualTo("ended ok");
        }
        assertThat(fixture.events(run))
                .filteredOn(e -> e.contains("\"type\":\"end\""))
                .hasSize(1);
    }

    @Test
    void theTasksFilesAreSentOnceAndUsed() throws Exception {
        Path upload = Files.createDirectories(home.resolve("up/loa d"));
        Files.writeString(upload.resolve("run.sh"), "echo speed=$(cat data.txt)\ncat \"$SEATRIAL_DATA/x/sample\"\n");
        Files.writeString(upload.resolve("data.txt"), "42");
        Files.createDirectories(upload.resolve(".git"));
        Files.writeString(upload.resolve(".git/secret"), "no");
        Path data = Files.createDirectories(home.resolve("data/x"));
        Files.write(data.resolve("sample"), new byte[2_000_000]);
        fixture.task(task(
                Optional.of(upload.toString()), Optional.of(data.getParent().toString()), "sh run.sh | head -c 300"));
        StageRun run = fixture.run(StageName.TASK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        fixture.await(run);
        fixture.activities.finish(run, "ok");
        assertThat(fixture.row(run).end()).isEqualTo("ok");
        assertThat(fixture.events(run))
                .anyMatch(e -> e.contains("\"name\":\"speed\"") && e.contains("\"value\":42"))
                .anyMatch(e -> e.contains("\"name\":\"task_upload\""));
        assertThat(folder().resolve("task/.git")).doesNotExist();

        long sends =
                host.commands.stream().filter(c -> c.contains("extractall")).count();
        StageRun again = new StageRun(run.id().replace("-1", "-2"), run.target(), run.stage(), 2, run.limit());
        fixture.activities.start(again);
        fixture.await(again);
        assertThat(host.commands.stream().filter(c -> c.contains("extractall")).count())
                .isEqualTo(sends);
    }

    @Test
    void filesThatAreNotThereEndTheStageAsOurs() {
        fixture.task(task(Optional.of(home.resolve("none").toString()), Optional.empty(), "true"));
        StageRun run = fixture.run(StageName.TASK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        fixture.await(run);
        fixture.activities.finish(run, "ok");
        assertThat(fixture.row(run).end()).isEqualTo("failed");
        assertThat(fixture.events(run))
                .anyMatch(e -> e.contains("TASK_FILES_FAILED") && e.contains("\"owner\":\"ours\""));
    }

    @Test
    void theNetworkStageAddsBothDirectionsOfOurOwnPath() {
        StageRun run = fixture.run(StageName.NETWORK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        fixture.await(run);
        fixture.activities.finish(run, "ok");
        assertThat(fixture.events(run))
                .anyMatch(e -> e.contains("network_upload") && e.contains("\"from\":\"this service\""))
                .anyMatch(e -> e.contains("network_download") && e.contains("\"from\":\"this service\""));
        assertThat(fixture.row(run).end()).isEqualTo("ok");
    }

    @Test
    void aStageAtItsLimitIsStoppedAndSaidToBeTimedOut() {
        fixture.task(task(Optional.empty(), Optional.empty(), "echo speed=7; sleep 3600"));
        StageRun run = fixture.run(StageName.TASK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        fixture.once(run);
        fixture.activities.stop(run);
        assertThat(fixture.activities.finish(run, "timed-out").reason()).isEqualTo("ended timed-out");
        assertThat(ProcessHandle.allProcesses()
                        .filter(p -> p.info().commandLine().orElse("").contains("sleep 3600")))
                .isEmpty();
    }

    @Test
    void aMachineThatLostOurFolderIsLostNotWaitedFor() throws Exception {
        fixture.task(task(Optional.empty(), Optional.empty(), "sleep 1"));
        StageRun run = fixture.run(StageName.TASK, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        new LocalMachine().exec(Exec.of("rm -rf '" + folder() + "'", Duration.ofSeconds(10)));
        fixture.await(run);
        assertThat(fixture.activities.finish(run, "ok").reason()).isEqualTo("ended lost");
    }

    @Test
    void aMachineThatIsGoneIsJudgedByWhatItTold() {
        StageRun run = fixture.run(StageName.ENVIRONMENT, Duration.ofSeconds(60));
        fixture.activities.prepare(fixture.target);
        fixture.activities.start(run);
        host.close();
        long began = System.nanoTime();
        assertThat(fixture.activities.finish(run, "lost").reason()).isEqualTo("ended lost");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
        assertThat(fixture.judged).isPresent();
        host = HostServer.with(host.hostKeys(), 0);
        fixture.machines.close(fixture.lease.id());
        assertThat(new LocalCleanup(fixture.lease.id()).run()).isEmpty();
    }

    @Test
    void aStrangerAtTheAddressIsFinal() {
        fixture.activities.prepare(fixture.target);
        int port = host.port();
        var known = host.hostKeys();
        host.close();
        host = HostServer.with(List.of(HostServer.pair("ssh-ed25519")), port);
        assertThatThrownBy(() -> fixture.activities.prepare(fixture.target))
                .isInstanceOfSatisfying(
                        ApplicationFailure.class, e -> assertThat(e.getType()).isEqualTo(NotYet.FINAL))
                .hasMessageContaining("another machine");
        host.close();
        host = HostServer.with(known, port).trusting(fixture.keys.keyPair(fixture.lease.id()));
    }

    /** Ends what a test left, without SSH. */
    private record LocalCleanup(String lease) {
        Optional<String> run() {
            try (LocalMachine machine = new LocalMachine()) {
                return new Boot(new Wire()).leave(machine, lease, Optional.empty());
            } catch (MachineException e) {
                return Optional.of(e.words());
            }
        }
    }
}
