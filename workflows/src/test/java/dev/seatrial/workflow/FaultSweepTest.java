package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.plan.Plan;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowFailedException;
import io.temporal.client.WorkflowStub;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A whole trial, disturbed at each of its calls to the outside in each way: in the end nothing may run. */
class FaultSweepTest {
    private final Harness h = new Harness();

    @AfterEach
    void close() {
        h.close();
    }

    @Test
    void whateverHappensAtWhicheverCallNothingRunsInTheEnd() {
        run("calm", -1, Faults.Fault.NONE);
        List<String> calls = h.faults.calls();
        assertThat(calls).contains("LeaseCreate", "LeaseReleaseUntilGone", "StageAwait", "TrialConclude");
        List<String> wrong = new ArrayList<>();
        int cases = 0;
        for (int i = 0; i < calls.size(); i++) {
            for (Map.Entry<String, Faults.Fault> kind : kinds().entrySet()) {
                String candidate = "c" + cases++;
                run(candidate, i, kind.getValue());
                judge(candidate).forEach(w -> wrong.add(w));
                if (!wrong.isEmpty()) {
                    assertThat(wrong)
                            .as(kind.getKey() + " at call " + calls.get(i))
                            .isEmpty();
                }
            }
        }
        assertThat(cases).isEqualTo(calls.size() * kinds().size());
        System.out.println("fault sweep: " + cases + " cases over " + calls.size() + " calls");
    }

    private Map<String, Faults.Fault> kinds() {
        Map<String, Faults.Fault> kinds = new LinkedHashMap<>();
        kinds.put("exception before the effect", call -> {
            throw new IllegalStateException("not reached");
        });
        kinds.put("exception after the effect", call -> {
            call.get();
            throw new IllegalStateException("answer lost");
        });
        kinds.put("cancelled before the effect", call -> {
            cancel();
            return call.get();
        });
        kinds.put("cancelled after the effect", call -> {
            Object result = call.get();
            cancel();
            return result;
        });
        return kinds;
    }

    private WorkflowStub trial;

    private void cancel() {
        trial.cancel();
    }

    private void run(String candidate, int index, Faults.Fault fault) {
        Plan plan = Plans.plan(Plans.multi(false, 8), candidate);
        h.faults.arm(candidate, index, fault);
        TrialWorkflow stub = h.stub(TrialWorkflow.class, Queues.CONTROL, WorkflowIds.trial("ev1", candidate));
        trial = WorkflowStub.fromTyped(stub);
        WorkflowClient.start(stub::run, Plans.trial(plan, candidate, h.now()));
        try {
            trial.getResult(TrialOutcome.class);
        } catch (WorkflowFailedException cancelled) {
            assertThat(cancelled).hasMessageContaining("was cancelled");
        }
    }

    private List<String> judge(String candidate) {
        List<String> wrong = new ArrayList<>();
        String own = World.ID_PREFIX + candidate;
        h.world.stillRunning().stream()
                .filter(id -> id.startsWith(own + "s") || id.startsWith(own + "m"))
                .forEach(id -> wrong.add(id + " still runs"));
        for (String id : List.copyOf(h.world.everCreated)) {
            String lease = id.substring(World.ID_PREFIX.length());
            if ((lease.startsWith(candidate + "s") || lease.startsWith(candidate + "m"))
                    && h.world.told("released " + lease + ":").isEmpty()) {
                wrong.add(id + " was never released");
            }
        }
        List<String> creates = h.world.told("create " + candidate);
        if (creates.stream().distinct().count() != creates.size()) {
            wrong.add("a create was sent twice: " + creates);
        }
        if (h.world.told("concluded " + candidate + " ").isEmpty()) {
            wrong.add("the trial was never concluded");
        }
        return wrong;
    }
}
