package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.workflow.StageActivities;
import dev.seatrial.workflow.StageRun;
import dev.seatrial.workflow.StageTarget;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A failed baseline is measured again on the same machine, then on another, before it is held against the offer. */
@Timeout(180)
class ControlRunsTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";

    @TempDir
    Path home;

    @Test
    void oneBadRunIsNoise() {
        try (World world = world(run -> run.attempt() == 1)) {
            String id = run(world, "20");

            assertThat(world.meter("steady").created()).isEqualTo(1);
            assertThat(computes(world, id)).containsExactly(Verdict.FAIL, Verdict.PASS);
            assertThat(world.trial(id, "steady").verdict()).contains(Verdict.PASS);
            assertThat(world.trial(id, "steady").reason())
                    .endsWith("compute failed once and passed when repeated on the same machine: noise");
            world.assertNothingLost(id);
        }
    }

    @Test
    void oneBadMachineOfTwoIsToldAndDoesNotFailTheOffer() {
        try (World world = world(onFirstMachine())) {
            String id = run(world, "20");

            assertThat(world.meter("steady").created()).isEqualTo(2);
            assertThat(computes(world, id)).containsExactly(Verdict.FAIL, Verdict.FAIL, Verdict.PASS);
            assertThat(world.trial(id, "steady").verdict()).contains(Verdict.WARN);
            assertThat(world.trial(id, "steady").reason()).endsWith("a bad machine, not the whole offer");
            world.assertNothingLost(id);
        }
    }

    @Test
    void twoBadMachinesAreTheOffer() {
        try (World world = world(run -> true)) {
            String id = run(world, "20");

            assertThat(world.meter("steady").created()).isEqualTo(2);
            assertThat(computes(world, id)).containsExactly(Verdict.FAIL, Verdict.FAIL, Verdict.FAIL, Verdict.FAIL);
            assertThat(world.trial(id, "steady").verdict()).contains(Verdict.FAIL);
            assertThat(world.trial(id, "steady").reason()).endsWith("the offer, not one bad machine");
            world.assertNothingLost(id);
        }
    }

    @Test
    void withoutMoneyForAnotherMachineTheFailureSaysThatThereWasNone() {
        try (World world = world(run -> true)) {
            String id = run(world, "0.74");

            assertThat(world.meter("steady").created()).isEqualTo(1);
            assertThat(world.trial(id, "steady").verdict()).contains(Verdict.FAIL);
            assertThat(world.trial(id, "steady").reason()).endsWith("no other machine was tried");
            world.assertNothingLost(id);
        }
    }

    /** @param bad compute runs on a card that calculates wrongly */
    private World world(Predicate<StageRun> bad) {
        World[] made = new World[1];
        made[0] = new World(home, stages -> new Wrong(stages, made, bad)).vendor("steady", "{\"extends\": \"steady\"}");
        return made[0];
    }

    private static Predicate<StageRun> onFirstMachine() {
        AtomicReference<String> first = new AtomicReference<>("");
        return run -> {
            String lease = run.target().lease().lease();
            first.compareAndSet("", lease);
            return first.get().equals(lease);
        };
    }

    private static String run(World world, String cap) {
        return world.run(Plans.plan(cap, "- { provider: steady }", SHORT));
    }

    private static List<Verdict> computes(World world, String id) {
        return world.ledger.stageResults(id, "steady").stream()
                .filter(r -> r.stage() == StageName.COMPUTE)
                .map(r -> r.verdict())
                .toList();
    }

    /** The machine's last word before the judgement is a wrong product. */
    private record Wrong(StageActivities stages, World[] world, Predicate<StageRun> bad) implements StageActivities {
        @Override
        public StageSummary finish(StageRun run, String how) {
            if (run.stage() == StageName.COMPUTE && bad.test(run)) {
                StageRunRow row = world[0].ledger.stageRun(run.id()).orElseThrow();
                String line = "{\"seatrial\":1,\"seq\":9999,\"type\":\"finding\",\"code\":\"WRONG_RESULT\","
                        + "\"severity\":\"fail\",\"owner\":\"vendor\",\"message\":\"A product was wrong.\"}";
                world[0].ledger.appendEvents(
                        run.id(), row.offset(), row.offset(), List.of(new StoredEvent(9999, line)), 1, "");
            }
            return stages.finish(run, how);
        }

        @Override
        public void prepare(StageTarget target) {
            stages.prepare(target);
        }

        @Override
        public void start(StageRun run) {
            stages.start(run);
        }

        @Override
        public void await(StageRun run) {
            stages.await(run);
        }

        @Override
        public void stop(StageRun run) {
            stages.stop(run);
        }

        @Override
        public void clean(StageTarget target) {
            stages.clean(target);
        }
    }
}
