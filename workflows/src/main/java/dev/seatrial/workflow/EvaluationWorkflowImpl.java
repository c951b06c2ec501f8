package dev.seatrial.workflow;

import dev.seatrial.domain.measure.Verdict;
import io.temporal.api.enums.v1.ParentClosePolicy;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.ChildWorkflowFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.ChildWorkflowCancellationType;
import io.temporal.workflow.ChildWorkflowOptions;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** All trials side by side; opens the multi phase to all once every single phase is over. */
public class EvaluationWorkflowImpl implements EvaluationWorkflow {
    private final EvaluationActivities ledger = Workflow.newActivityStub(
            EvaluationActivities.class, Waits.call(Queues.CONTROL, Duration.ofSeconds(60), Duration.ofHours(1)));
    private final Set<String> singles = new TreeSet<>();

    @Override
    public List<TrialOutcome> run(EvaluationInput input) {
        return Bugs.guard(() -> all(input));
    }

    @Override
    public void singleDone(String candidate) {
        if (candidate != null) {
            singles.add(candidate);
        }
    }

    private List<TrialOutcome> all(EvaluationInput input) {
        Map<String, Promise<TrialOutcome>> running = new LinkedHashMap<>();
        Map<String, TrialWorkflow> trials = new LinkedHashMap<>();
        List<TrialOutcome> outcomes = new ArrayList<>();
        StringBuilder failure = new StringBuilder();
        CancellationScope scope = Workflow.newCancellationScope(() -> {
            for (TrialInput t : input.trials()) {
                TrialWorkflow trial = Workflow.newChildWorkflowStub(
                        TrialWorkflow.class,
                        ChildWorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.trial(input.evaluation(), t.candidate()))
                                .setTaskQueue(Queues.CONTROL)
                                .setParentClosePolicy(ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL)
                                .setCancellationType(ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED)
                                .build());
                trials.put(t.candidate(), trial);
                running.put(t.candidate(), Async.function(trial::run, t));
            }
        });
        try {
            scope.run();
            Waits.until(input.notAfter(), () -> running.entrySet().stream()
                    .allMatch(e -> singles.contains(e.getKey()) || e.getValue().isCompleted()));
            running.forEach((name, end) -> {
                if (!end.isCompleted()) {
                    Signals.bestEffort(() -> trials.get(name).singlesDone());
                }
            });
            Waits.until(input.notAfter(), () -> running.values().stream().allMatch(Promise::isCompleted));
            if (!running.values().stream().allMatch(Promise::isCompleted)) {
                scope.cancel("the evaluation's time is over");
            }
        } catch (CanceledFailure e) {
            // The children are cancelled with this scope; what is left is to wait for them.
        } finally {
            Workflow.newDetachedCancellationScope(() -> {
                        Workflow.await(() -> running.values().stream().allMatch(Promise::isCompleted));
                        running.forEach((name, end) -> outcomes.add(outcome(name, end, failure)));
                        ledger.conclude(input.evaluation(), outcomes, failure.toString());
                    })
                    .run();
        }
        return outcomes;
    }

    private static TrialOutcome outcome(String name, Promise<TrialOutcome> end, StringBuilder failure) {
        try {
            return end.get();
        } catch (ChildWorkflowFailure e) {
            Throwable t = e;
            while (t.getCause() != null) {
                t = t.getCause();
            }
            boolean cancelled = t instanceof CanceledFailure;
            if (!cancelled) {
                failure.append(failure.isEmpty() ? "" : "; ")
                        .append(name)
                        .append(": ")
                        .append(t.getMessage());
            }
            return new TrialOutcome(
                    name,
                    Verdict.UNKNOWN,
                    cancelled ? "cancelled" : "a bug of ours: " + t.getMessage(),
                    Optional.of(cancelled ? "cancelled" : "bug"),
                    false,
                    false,
                    cancelled);
        }
    }
}
