package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.OnFail;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowStub;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code onFail}: the machine that failed stays for a while, within its lease. */
@Timeout(120)
class KeptForEvidenceTest {
    private static final BigMoney ENOUGH = BigMoney.parse("CNY 1000");

    private final Harness h = new Harness();
    private final World world = h.world;

    @AfterEach
    void close() {
        h.close();
    }

    @Test
    void theLastMachineThatFailedIsHeldAndTheOthersDoNotWaitForIt() {
        failing("single/compute");
        TrialOutcome end = run(Optional.empty(), new OnFail(Duration.ofMinutes(30), ENOUGH));

        assertThat(took()).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(40));
        assertThat(end.stoppedAt()).contains("single/compute");
        assertThat(world.told("note KEPT")).singleElement().asString().contains("lease sims2");
        assertThat(world.diary)
                .containsSubsequence(
                        "released sims1: failed its baseline",
                        "single done sim",
                        "position keeping single ",
                        "released sims2: trial over");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aFailedRungIsHeldToo() {
        failing("multi/interconnect");

        run(Plans.multi(false, 2, 8), new OnFail(Duration.ofMinutes(30), ENOUGH));

        assertThat(world.told("note KEPT")).singleElement().asString().contains("lease simm1");
        assertThat(world.diary).containsSubsequence("position keeping multi ", "released simm1: rung done");
    }

    @Test
    void theDeadlineDoesNotMove() {
        failing("single/compute");
        world.hold = Duration.ofMinutes(10);

        run(Optional.empty(), new OnFail(Duration.ofHours(5), ENOUGH));

        assertThat(took()).isLessThan(Duration.ofMinutes(25));
        assertThat(world.told("released sims2")).containsExactly("released sims2: deadline");
    }

    @Test
    void whoeverHasSeenEnoughReleasesIt() {
        failing("single/compute");
        WorkflowStub trial = start(Optional.empty(), new OnFail(Duration.ofHours(9), ENOUGH));
        world.hold = Duration.ofHours(9);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !world.told("position keeping").isEmpty());

        LeaseKey key = new LeaseKey("ev1", "sim", Phase.SINGLE, 2);
        h.env.getWorkflowClient().newUntypedWorkflowStub(WorkflowIds.lease(key)).signal("release", "asked by tester");

        trial.getResult(TrialOutcome.class);
        assertThat(took()).isLessThan(Duration.ofHours(8));
        assertThat(world.told("released sims2")).containsExactly("released sims2: asked by tester");
    }

    @Test
    void nothingIsHeldThatDidNotFailOrIsBorrowed() {
        run(Plans.multi(false, 2), new OnFail(Duration.ofMinutes(30), ENOUGH));
        assertThat(world.told("note KEPT")).isEmpty();

        world.borrowed = true;
        failing("single/compute");
        WorkflowStub second = start("other", Optional.empty(), new OnFail(Duration.ofMinutes(30), ENOUGH));
        second.getResult(TrialOutcome.class);
        assertThat(world.told("note KEPT")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"CNY 9, 1800", "CNY 40, 1800", "CNY 41, 1756", "CNY 7200, 10", "CNY 0, 1800", "CNY 100000000, 0"})
    void holdingCostsNoMoreThanItMay(String hourly, long seconds) {
        assertThat(new OnFail(Duration.ofMinutes(30), BigMoney.parse("CNY 20")).hold(BigMoney.parse(hourly)))
                .isEqualTo(Duration.ofSeconds(seconds));
    }

    /** From the trial's beginning to its end; the service's own clock leaps once nothing runs. */
    private Duration took() {
        List<HistoryEvent> events = h.env.getWorkflowClient()
                .fetchHistory(WorkflowIds.trial("ev1", "sim"))
                .getEvents();
        return Duration.ofSeconds(events.get(events.size() - 1).getEventTime().getSeconds()
                - events.get(0).getEventTime().getSeconds());
    }

    private void failing(String stage) {
        world.verdicts.put(stage, new ArrayDeque<>(Collections.nCopies(8, Verdict.FAIL)));
    }

    private TrialOutcome run(Optional<MultiPhase> multi, OnFail onFail) {
        return start(multi, onFail).getResult(TrialOutcome.class);
    }

    private WorkflowStub start(Optional<MultiPhase> multi, OnFail onFail) {
        return start("sim", multi, onFail);
    }

    private WorkflowStub start(String candidate, Optional<MultiPhase> multi, OnFail onFail) {
        Plan plan = with(Plans.plan(multi, candidate), onFail);
        TrialWorkflow trial = h.stub(TrialWorkflow.class, Queues.CONTROL, WorkflowIds.trial("ev1", candidate));
        WorkflowClient.start(trial::run, Plans.trial(plan, candidate, h.now()));
        return WorkflowStub.fromTyped(trial);
    }

    /** The plan with that said of machines that fail. */
    static Plan with(Plan p, OnFail onFail) {
        Limits l = p.limits();
        return new Plan(
                p.name(),
                p.hash(),
                p.preset(),
                p.budget(),
                p.candidates(),
                p.singleStages(),
                p.multi(),
                p.stability(),
                p.task(),
                p.networkUrls(),
                p.storageDir(),
                new Limits(l.provisioning(), l.evaluation(), l.until(), l.stages(), Optional.of(onFail)),
                p.accept(),
                p.approvalTimeout());
    }
}
