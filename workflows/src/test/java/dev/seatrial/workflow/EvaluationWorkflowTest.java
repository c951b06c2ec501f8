package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.plan.Plan;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowStub;
import io.temporal.failure.CanceledFailure;
import java.time.Duration;
import java.util.List;
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
        world.decision = LeaseOpening.Decision.GRANTED;

        start("a", "b").getResult(List.class);

        int lastSingle = Math.max(world.diary.lastIndexOf("single done a"), world.diary.lastIndexOf("single done b"));
        assertThat(lastSingle).isNotNegative();
        assertThat(world.stillRunning()).isEmpty();
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
    void aTerminatedEvaluationLeavesItsLeaseToTheDeadlineOfTheLease() {
        world.stagesHang = true;
        WorkflowStub evaluation = start("a");
        await().atMost(Duration.ofSeconds(20)).until(() -> !world.told("start").isEmpty());

        evaluation.terminate("by hand");

        assertThatThrownBy(() -> evaluation.getResult(List.class)).hasStackTraceContaining("by hand");
        h.env.sleep(Duration.ofHours(2));
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
