package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The main job: vendors side by side under a cap. */
@Timeout(180)
class SideBySideTest {
    @TempDir
    Path home;

    @Test
    void aHealthyVendorGoesOnAPoorOneIsStoppedAndAnUnreliableOneEndsHealthy() {
        try (World world = new World(home)
                .vendor("steady", "{\"extends\": \"steady\"}")
                .vendor("discount", "{\"extends\": \"discount\"}")
                .vendor("flaky", "{\"extends\": \"flaky\"}")) {
            String candidates = """
                    - { provider: steady }
                    - { provider: discount }
                    - { provider: flaky }
                    """;
            String id = world.run(Plans.plan("30", candidates, Plans.SINGLE, Plans.MULTI));

            assertThat(world.ledger.evaluation(id).orElseThrow().status()).isEqualTo(EvaluationStatus.COMPLETED);
            assertThat(world.ledger.trials(id))
                    .extracting(t -> t.candidate(), t -> t.verdict().orElseThrow())
                    .containsExactly(
                            tuple("steady", Verdict.PASS),
                            tuple("discount", Verdict.FAIL),
                            tuple("flaky", Verdict.PASS));
            assertThat(world.leases(id, "steady"))
                    .extracting(LeaseRow::phase, LeaseRow::gpus, LeaseRow::state)
                    .containsExactly(
                            tuple(Phase.SINGLE, 1, LeaseState.RELEASED), tuple(Phase.MULTI, 8, LeaseState.RELEASED));
            // Another machine may show that it was one bad card; eight of them would show nothing more.
            assertThat(world.meter("discount").instances()).isNotEmpty().allSatisfy(i -> assertThat(i.gpus())
                    .isEqualTo(1));
            assertThat(world.trial(id, "discount").reason()).contains("171");
            assertThat(world.leases(id, "flaky").stream().filter(l -> l.state() == LeaseState.NOT_CREATED))
                    .as("refused for want of capacity")
                    .hasSize(2);
            assertThat(world.meter("flaky").created()).isEqualTo(2);
            world.assertNothingLost(id);
        }
    }

    @Test
    void aVendorThatTellsNoCostAndEndsNothingByItselfIsHeldToOurOwnCount() {
        try (World world = new World(home).vendor("alone", Plans.alone("steady"))) {
            String id = world.run(Plans.plan("20", "- { provider: alone }", Plans.SINGLE, Plans.MULTI));

            assertThat(world.trial(id, "alone").verdict()).contains(Verdict.PASS);
            assertThat(world.trial(id, "alone").stoppedAt()).isEmpty();
            assertThat(world.meter("alone").created()).isEqualTo(2);
            world.assertNothingLost(id);
        }
    }

    @Test
    void aMachineThatIsOnlyRentedWholeServesBothPhasesInOneLease() {
        String whole = "{\"extends\": \"steady\", \"offers\": [" + Plans.offer(8, "68.00", "second", 0) + "]}";
        try (World world = new World(home).vendor("whole", whole)) {
            String id = world.run(Plans.plan("30", "- { provider: whole }", Plans.SINGLE, Plans.MULTI));

            assertThat(world.trial(id, "whole").verdict()).contains(Verdict.PASS);
            assertThat(world.meter("whole").created()).isEqualTo(1);
            assertThat(world.ledger.stageRuns(id))
                    .filteredOn(r -> r.phase() == Phase.SINGLE)
                    .isNotEmpty()
                    .allSatisfy(r -> assertThat(r.gpus()).isEqualTo(1));
            assertThat(gpusMeasured(world, id, Phase.SINGLE)).isEqualTo(1);
            assertThat(gpusMeasured(world, id, Phase.MULTI)).isEqualTo(8);
            world.assertNothingLost(id);
        }
    }

    @Test
    void aCardThatIsSlowerThanItsPeersIsToldThoughItPassesAlone() {
        String compute = "{\"extends\": \"steady\", \"stages\": {\"compute\": {\"measurements\":"
                + " {\"matmul_bf16_sustained\": {\"value\": %s}}}}}";
        try (World world =
                new World(home).vendor("quick", compute.formatted("284")).vendor("slow", compute.formatted("253"))) {
            String id = world.run(Plans.plan(
                    "20",
                    "- { provider: quick }\n- { provider: slow }\n",
                    "single: { stages: [environment, compute] }"));

            assertThat(world.trial(id, "quick").verdict()).contains(Verdict.PASS);
            assertThat(world.trial(id, "slow").verdict()).contains(Verdict.WARN);
            assertThat(world.trial(id, "slow").reason())
                    .contains("the same card reaches", "elsewhere in this evaluation (quick)");
            assertThat(world.ledger.stageResults(id, "slow"))
                    .anySatisfy(r ->
                            assertThat(r.findings()).extracting(f -> f.code()).contains("PEER_OUTLIER"));
            world.assertNothingLost(id);
        }
    }

    private static long gpusMeasured(World world, String id, Phase phase) {
        return world.ledger.stageResults(id, "whole").stream()
                .filter(r -> r.phase() == phase)
                .flatMap(r -> r.measurements().stream())
                .filter(m -> m.name().equals("matmul_bf16_sustained"))
                .map(m -> m.gpu())
                .distinct()
                .count();
    }
}
