package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowStub;
import io.temporal.failure.CanceledFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All trials side by side. */
class EvaluationWorkflowTest {
    private final Harness h = new Harness();
    private final World world = h.world;

    @AfterEach
    void close() {
        h.close();
    }

    @Test
    void everyTrialEndsBeforeTheEvaluationDoes() {
        start("a", "b", "c").getResult(List.class);

        assertThat(world.told("concluded")).hasSize(3);
        assertThat(world.told("evaluation over")).containsExactly("evaluation over: 3 ");
        assertThat(world.stillRunning()).isEmpty();
        assertThat(world.everCreated).hasSize(6);
    }

    @Test
    void cancellingTheEvaluationReleasesEveryMachineBeforeItEnds() {
        world.stagesHang = true;
        WorkflowStub evaluation = start("a", "b");
        await().atMost(Duration.ofSeconds(20)).until(() -> world.told("start").size() == 2);

        evaluation.cancel();

        assertThatThrownBy(() -> evaluation.getResult(List.class)).hasCauseInstanceOf(CanceledFailure.class);
        assertThat(world.told("concluded"))
                .containsExactlyInAnyOrder("concluded a cancelled cancelled", "concluded b cancelled cancelled");
        assertThat(world.stillRunning()).isEmpty();
        assertThat(world.told("released")).hasSize(2);
        assertThat(world.diary.get(world.diary.size() - 1)).startsWith("evaluation over: 2");
    }

    @Test
    void moneyThatIsKeptForOthersIsAskedForAgainWhenEverySinglePhaseIsOver() {
        world.multiOnlyAfterSingles = 2;
        CountDownLatch asked = new CountDownLatch(1);
        world.stageDone = run ->
                !run.target().candidate().equals("b") || run.target().phase() == Phase.MULTI || asked.getCount() == 0;
        WorkflowStub evaluation = start("a", "b");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> world.told("position waiting").contains("position waiting multi "));
        assertThat(world.told("create am")).isEmpty();
        asked.countDown();

        evaluation.getResult(List.class);

        assertThat(world.diary.indexOf("create am2")).isGreaterThan(world.diary.indexOf("single done b"));
        assertThat(world.told("create")).contains("create am2").doesNotContain("create am1");
        assertThat(world.everCreated).hasSize(4);
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void moneyThatNeverComesStopsTheTrialAtTheEndOfTheEvaluation() {
        world.decision = LeaseOpening.Decision.LATER;

        start("a", "b").getResult(List.class);

        assertThat(world.told("concluded"))
                .containsExactlyInAnyOrder("concluded a budget budget", "concluded b budget budget");
        assertThat(world.everCreated).isEmpty();
    }

    @Test
    void theEvaluationsOwnEndCancelsWhatStillRuns() {
        world.stagesHang = true;
        world.hold = Duration.ofHours(20);
        Plan plan = Plans.plan(Plans.multi(false, 8), "a");
        EvaluationWorkflow evaluation = h.stub(EvaluationWorkflow.class, Queues.CONTROL, WorkflowIds.evaluation("ev1"));
        EvaluationInput input = new EvaluationInput(
                "ev1", plan, h.now().plus(Duration.ofMinutes(1)), List.of(Plans.trial(plan, "a", h.now())));

        List<TrialOutcome> outcomes = evaluation.run(input);

        assertThat(outcomes).singleElement().satisfies(o -> assertThat(o.cancelled())
                .isTrue());
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void trialsOfATerminatedEvaluationStillGiveTheirMachinesBack() {
        world.stagesHang = true;
        WorkflowStub evaluation = start("a");
        await().atMost(Duration.ofSeconds(20)).until(() -> !world.told("start").isEmpty());

        evaluation.terminate("by hand");

        assertThatThrownBy(() -> evaluation.getResult(List.class)).hasStackTraceContaining("by hand");
        TrialOutcome end = h.env.getWorkflowClient()
                .newUntypedWorkflowStub(WorkflowIds.trial("ev1", "a"))
                .getResult(TrialOutcome.class);
        assertThat(end.stoppedAt()).contains("gate");
        assertThat(world.everCreated).hasSize(1);
        assertThat(world.stillRunning()).isEmpty();
    }

    private WorkflowStub start(String... candidates) {
        Plan plan = Plans.plan(Plans.multi(false, 8), candidates);
        EvaluationWorkflow evaluation = h.stub(EvaluationWorkflow.class, Queues.CONTROL, WorkflowIds.evaluation("ev1"));
        EvaluationInput input = new EvaluationInput(
                "ev1",
                plan,
                h.now().plus(Duration.ofHours(10)),
                Stream.of(candidates).map(c -> Plans.trial(plan, c, h.now())).toList());
        WorkflowClient.start(evaluation::run, input);
        return WorkflowStub.fromTyped(evaluation);
    }
}
