package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.SshEndpoint;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.vendors.sim.SimProvider;
import dev.seatrial.workflow.StageRun;
import dev.seatrial.workflow.StageTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulator's machines keep to the same contract as real ones. */
class SimulatedHostTest {
    @TempDir
    Path home;

    @Test
    void aSimulatedMachineIsEnteredMeasuredAndCleaned() throws Exception {
        Path upload = Files.createDirectories(home.resolve("upload"));
        Files.writeString(upload.resolve("run.sh"), "echo speed=1\n");
        try (Simulator simulator = Simulator.start(SimulatorOptions.of("steady").withTemporary(home));
                StageFixture fixture = new StageFixture(home, "sim", Optional.empty(), Optional.empty())) {
            SimProvider provider = new SimProvider(new ProviderId("sim"), simulator.baseUri(), "sim-key");
            StageTarget target = rent(provider, fixture);
            fixture.task(new TaskSpec(
                    Optional.of(upload.toString()),
                    Optional.empty(),
                    Map.of(),
                    Optional.empty(),
                    "sh run.sh",
                    Duration.ofSeconds(30),
                    Map.of("speed", new TaskSpec.Metric("speed=([0-9.]+)", "it/s", true)),
                    Map.of()));
            fixture.activities.prepare(target);
            for (StageName stage :
                    List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.NETWORK, StageName.TASK)) {
                StageRun run = new StageRun(
                        fixture.lease.id() + "-s1-" + stage.word() + "-1", target, stage, 1, Duration.ofSeconds(60));
                fixture.activities.start(run);
                fixture.await(run);
                fixture.activities.finish(run, "ok");
                assertThat(fixture.row(run).end()).as(stage.word()).isEqualTo("ok");
                assertThat(fixture.events(run)).as(stage.word()).isNotEmpty();
                assertThat(fixture.ledger.artifacts(run.id())).as(stage.word()).isNotEmpty();
            }
            fixture.activities.clean(target);
        }
    }

    private static StageTarget rent(SimProvider provider, StageFixture fixture) {
        Offer offer = provider.offers(OfferQuery.ALL).stream()
                .min(Comparator.comparing(Offer::gpuCount))
                .orElseThrow();
        PublicKey key = fixture.keys.publicKey(fixture.lease.id());
        KeyRef known = provider.ensureSshKey(fixture.lease.name(), key);
        CreateOutcome outcome = provider.create(new CreateRequest(
                fixture.lease.name(),
                fixture.lease.token(),
                offer.id(),
                Optional.empty(),
                known,
                key,
                Optional.empty(),
                Instant.now().plusSeconds(600)));
        InstanceId id = ((CreateOutcome.Created) outcome).id();
        SshProbe probe = new SshProbe(fixture.machines);
        SshEndpoint[] endpoint = new SshEndpoint[1];
        Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> {
            Optional<SshEndpoint> at = provider.get(id)
                    .filter(i -> i.state() == InstanceState.RUNNING)
                    .flatMap(Instance::ssh);
            at.ifPresent(a -> endpoint[0] = a);
            return at.isPresent()
                    && probe.check("sim", fixture.lease.id(), at.get()).isEmpty();
        });
        return new StageTarget(
                StageFixture.EVALUATION,
                "box",
                fixture.target.phase(),
                0,
                fixture.target.lease().withInstance(id.value()).withEndpoint(endpoint[0]));
    }
}
