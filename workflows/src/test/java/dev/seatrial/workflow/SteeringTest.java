package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.plan.Plan;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person can ask of a running evaluation: handlers only remember, the main course acts. */
@Timeout(180)
class SteeringTest {
    private final Harness h = new Harness();
    private final World world = h.world;

    @AfterEach
    void close() {
        h.close();
    }

    @Test
    void oneTrialIsCancelledAndTheOthersGoOn() {
        world.stageDone = run -> !run.target().candidate().equals("a");
        WorkflowStub evaluation = start(Plans.plan(Plans.multi(false, 8), "a", "b"));
        waitFor("start as1");

        trial("a").update("cancelTrial", Void.class, "tester");

        assertThat(outcomes(evaluation))
                .anySatisfy(o -> {
                    assertThat(o.candidate()).isEqualTo("a");
                    assertThat(o.reason()).isEqualTo("cancelled by tester");
                    assertThat(o.cancelled()).as("the evaluation was not").isFalse();
                })
                .anySatisfy(o -> {
                    assertThat(o.candidate()).isEqualTo("b");
                    assertThat(o.stoppedAt()).isEmpty();
                });
        assertThat(world.told("concluded a")).containsExactly("concluded a cancelled withdrawn");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aTrialThatWaitsForAPersonCanBeCancelled() {
        WorkflowStub evaluation = start(Plans.plan(Plans.multi(true, 8), "a", "b"));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> world.told("approval").size() == 2);

        trial("a").update("cancelTrial", Void.class, "tester");
        waitFor("concluded a");
        assertThat(world.told("approval")).as("the screens are told").hasSize(3);

        outcomes(evaluation);
        assertThat(world.everCreated).containsExactly("i-as1", "i-bs1");
    }

    @Test
    void aTrialIsCancelledOnceAndNotAfterItsEnd() {
        world.stagesHang = true;
        WorkflowStub evaluation = start(Plans.plan(Optional.empty(), "a"));
        waitFor("start as1");
        trial("a").update("cancelTrial", Void.class, "tester");

        assertThatThrownBy(() -> trial("a").update("cancelTrial", Void.class, "tester"))
                .isInstanceOf(WorkflowException.class);
        outcomes(evaluation);
        assertThat(world.stillRunning()).isEmpty();
    }

    /** At every call of a trial, before its effect and after: the machine is given back and the end is written. */
    @Test
    void atWhicheverMomentATrialIsCancelledNothingRunsInTheEnd() {
        h.faults.arm("calm", -1, Faults.Fault.NONE);
        runAlone("calm");
        List<String> calls = h.faults.calls();
        assertThat(calls).contains("LeaseCreate", "StageAwait", "TrialConclude");
        List<String> wrong = new ArrayList<>();
        int cases = 0;
        for (int i = 0; i < calls.size(); i++) {
            for (boolean after : new boolean[] {false, true}) {
                String candidate = "c" + cases++;
                h.faults.arm(candidate, i, call -> {
                    Object early = after ? call.get() : null;
                    cancelTrial(candidate);
                    return after ? early : call.get();
                });
                runAlone(candidate);
                String when = (after ? "after " : "before ") + calls.get(i);
                String own = World.ID_PREFIX + candidate;
                world.stillRunning().stream()
                        .filter(id -> id.startsWith(own + "s") || id.startsWith(own + "m"))
                        .forEach(id -> wrong.add(when + ": " + id + " still runs"));
                if (world.told("concluded " + candidate + " ").size() != 1) {
                    wrong.add(when + ": " + world.told("concluded " + candidate + " "));
                }
            }
        }
        assertThat(wrong).isEmpty();
        System.out.println("cancelled trials: " + cases + " cases over " + calls.size() + " calls");
    }

    @Test
    void aRaisedCapIsWrittenAtOnce() {
        world.stagesHang = true;
        WorkflowStub evaluation = start(Plans.plan(Optional.empty(), "a"));
        waitFor("start as1");

        raise(evaluation, Optional.empty(), "CNY 200");
        raise(evaluation, Optional.of("a"), "CNY 150");

        await().atMost(Duration.ofSeconds(20)).until(() -> world.told("cap").size() == 2);
        assertThat(world.told("cap")).containsExactly("cap of all CNY 200", "cap a CNY 150");
        world.stagesHang = false;
        outcomes(evaluation);
    }

    @Test
    void aRaiseThatMakesNoSenseIsRejected() {
        world.stageDone = run -> !run.target().candidate().equals("a");
        WorkflowStub evaluation = start(Plans.plan(Optional.empty(), "a", "b"));
        waitFor("concluded b");

        rejected(evaluation, Optional.empty(), "USD 200", "above zero in CNY");
        rejected(evaluation, Optional.empty(), "CNY -1", "above zero in CNY");
        rejected(evaluation, Optional.of("nobody"), "CNY 200", "no candidate nobody");
        rejected(evaluation, Optional.of("b"), "CNY 200", "the trial of b is over");

        trial("a").update("cancelTrial", Void.class, "tester");
        outcomes(evaluation);
        assertThat(world.told("cap")).isEmpty();
    }

    private void rejected(WorkflowStub evaluation, Optional<String> candidate, String cap, String why) {
        assertThatThrownBy(() -> raise(evaluation, candidate, cap))
                .isInstanceOf(WorkflowException.class)
                .hasStackTraceContaining(why);
    }

    private static void raise(WorkflowStub evaluation, Optional<String> candidate, String cap) {
        evaluation.update("raiseCap", Void.class, new CapRaise(candidate, BigMoney.parse(cap), "tester"));
    }

    private void cancelTrial(String candidate) {
        try {
            trial(candidate).update("cancelTrial", Void.class, "tester");
        } catch (WorkflowException over) {
            // At the very end there is nothing left to cancel.
        }
    }

    private WorkflowStub trial(String candidate) {
        return h.env.getWorkflowClient().newUntypedWorkflowStub(WorkflowIds.trial("ev1", candidate));
    }

    private void runAlone(String candidate) {
        Plan plan = Plans.plan(Plans.multi(false, 8), candidate);
        TrialWorkflow stub = h.stub(TrialWorkflow.class, Queues.CONTROL, WorkflowIds.trial("ev1", candidate));
        WorkflowClient.start(stub::run, Plans.trial(plan, candidate, h.now()));
        WorkflowStub.fromTyped(stub).getResult(TrialOutcome.class);
    }

    private WorkflowStub start(Plan plan) {
        EvaluationWorkflow evaluation = h.stub(EvaluationWorkflow.class, Queues.CONTROL, WorkflowIds.evaluation("ev1"));
        EvaluationInput input = new EvaluationInput(
                "ev1",
                plan,
                h.now().plus(Duration.ofHours(10)),
                Stream.of(plan.candidates())
                        .flatMap(List::stream)
                        .map(c -> Plans.trial(plan, c.name(), h.now()))
                        .toList());
        WorkflowClient.start(evaluation::run, input);
        return WorkflowStub.fromTyped(evaluation);
    }

    private static List<TrialOutcome> outcomes(WorkflowStub evaluation) {
        TrialOutcome[] all = evaluation.getResult(TrialOutcome[].class);
        return List.of(all);
    }

    private void waitFor(String line) {
        await().atMost(Duration.ofSeconds(20)).until(() -> !world.told(line).isEmpty());
    }
}
