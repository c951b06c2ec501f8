package dev.seatrial.workflow;

import dev.seatrial.domain.measure.Verdict;
import io.temporal.api.enums.v1.ParentClosePolicy;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.ChildWorkflowFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.ChildWorkflowCancellationType;
import io.temporal.workflow.ChildWorkflowOptions;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.joda.money.CurrencyUnit;
import org.jspecify.annotations.Nullable;

/** All trials side by side; opens the multi phase to all once every single phase is over. */
public class EvaluationWorkflowImpl implements EvaluationWorkflow {
    private final EvaluationActivities ledger = Workflow.newActivityStub(
            EvaluationActivities.class, Waits.call(Queues.CONTROL, Duration.ofSeconds(60), Duration.ofHours(1)));
    private final Set<String> singles = new TreeSet<>();
    private final EvaluationInput input;
    private final List<CapRaise> raises = new ArrayList<>();
    private final Map<String, Promise<TrialOutcome>> running = new LinkedHashMap<>();
    private boolean over;

    @WorkflowInit
    public EvaluationWorkflowImpl(EvaluationInput input) {
        this.input = input;
    }

    @Override
    public List<TrialOutcome> run(EvaluationInput ignored) {
        return Bugs.guard(this::all);
    }

    @Override
    public void raiseCap(CapRaise raise) {
        raises.add(raise);
    }

    @Override
    public void validateRaise(@Nullable CapRaise raise) {
        if (raise == null || raise.cap() == null || raise.candidate() == null) {
            throw new IllegalArgumentException("a raise names a cap");
        }
        CurrencyUnit currency = input.plan().budget().currency();
        if (!raise.cap().isPositive() || !raise.cap().getCurrencyUnit().equals(currency)) {
            throw new IllegalArgumentException("a cap is an amount above zero in " + currency);
        }
        raise.candidate().ifPresent(this::validateCandidate);
        if (over) {
            throw new IllegalArgumentException("the evaluation is over");
        }
    }

    private void validateCandidate(String name) {
        boolean tried = input.trials().stream().anyMatch(t -> t.candidate().equals(name));
        Promise<TrialOutcome> end = running.get(name);
        if (!tried) {
            throw new IllegalArgumentException("no candidate " + name + " is tried");
        }
        if (end != null && end.isCompleted()) {
            throw new IllegalArgumentException("the trial of " + name + " is over");
        }
    }

    /** Writes raises as they come, beside the main course: what is asked of the handlers must not happen in them. */
    private void writeRaises() {
        while (true) {
            Workflow.await(() -> !raises.isEmpty() || over);
            if (raises.isEmpty()) {
                return;
            }
            CapRaise next = raises.remove(0);
            try {
                ledger.raiseCap(input.evaluation(), next);
            } catch (ActivityFailure e) {
                Workflow.getLogger(EvaluationWorkflowImpl.class).error("cap not raised: {}", Waits.words(e));
            }
        }
    }

    @Override
    public void singleDone(String candidate) {
        if (candidate != null) {
            singles.add(candidate);
        }
    }

    private List<TrialOutcome> all() {
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
        // Detached: a cap raised before a cancellation is told as raised.
        Workflow.newDetachedCancellationScope(() -> Async.procedure(this::writeRaises))
                .run();
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
                        over = true;
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
