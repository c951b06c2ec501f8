package dev.seatrial.workflow;

import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.workflow.MachineDesk.Held;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs the stages of a phase on a machine. Workflow code, one per trial run. */
final class StageDesk {
    private static final Duration CALL = Duration.ofMinutes(2);
    private static final Duration CALL_LIMIT = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofSeconds(1);

    private final TrialInput input;
    private final TrialActivities trial;
    private final StageActivities calls =
            Workflow.newActivityStub(StageActivities.class, Waits.call(Queues.STAGES, CALL, CALL_LIMIT));
    private final List<StageSummary> summaries = new ArrayList<>();
    private Optional<StageName> running = Optional.empty();
    private Optional<StageName> last = Optional.empty();
    private Optional<StageRun> open = Optional.empty();
    private Optional<StageTarget> touched = Optional.empty();
    private boolean skip;

    StageDesk(TrialInput input, TrialActivities trial) {
        this.input = input;
        this.trial = trial;
        summaries.addAll(input.finished());
    }

    Optional<StageName> running() {
        return running;
    }

    /** The stage that runs, or the last one that did. */
    Optional<StageName> lastStarted() {
        return last;
    }

    /** From the update handler: only remembers. */
    void skipRunning() {
        skip = true;
    }

    /** Latest summary of each stage of a phase and rung, in order of running. */
    List<StageSummary> latest(Phase phase, int gpus) {
        List<StageSummary> result = new ArrayList<>();
        for (StageSummary s : summaries) {
            if (s.phase() == phase && (phase == Phase.SINGLE || s.gpus() == gpus)) {
                result.removeIf(r -> r.stage() == s.stage());
                result.add(s);
            }
        }
        return result;
    }

    List<StageSummary> all() {
        return List.copyOf(summaries);
    }

    /** Stages of the phase that have not been finished yet. */
    List<StageName> open(Phase phase, int gpus, List<StageName> wanted) {
        List<StageName> done =
                latest(phase, gpus).stream().map(StageSummary::stage).toList();
        return wanted.stream().filter(s -> !done.contains(s)).toList();
    }

    /**
     * Runs stages in order. A failed one that can be repeated is measured once more, to tell noise from fact; after a
     * failure nothing long is started; a failed environment ends the phase, since no later figure would mean anything.
     *
     * @return the stages that failed
     */
    List<StageName> run(Held held, Phase phase, int gpus, List<StageName> stages) {
        List<StageName> failed = new ArrayList<>();
        StageTarget target = new StageTarget(input.evaluation(), input.candidate(), phase, gpus, held.handle());
        trial.position(input.evaluation(), input.candidate(), "preparing", phase.word(), "");
        touched = Optional.of(target);
        calls.prepare(target);
        for (StageName stage : stages) {
            if (held.ended()) {
                break;
            }
            boolean pointless = !failed.isEmpty() && (stage == StageName.STABILITY || stage == StageName.TASK);
            if (pointless) {
                continue;
            }
            StageSummary summary = once(held, target, stage, 1);
            if (summary.verdict() == Verdict.FAIL && WorkTime.repeatable(stage) && !held.ended()) {
                summary = once(held, target, stage, 2);
            }
            summaries.add(summary);
            if (summary.verdict() == Verdict.FAIL) {
                failed.add(stage);
                if (stage == StageName.ENVIRONMENT) {
                    break;
                }
            }
        }
        return failed;
    }

    /** Takes our traces off the machine; a rented one is deleted anyway, so only a borrowed one must succeed. */
    void clean(Held held, Phase phase, int gpus) {
        if (held.ended()) {
            return;
        }
        try {
            calls.clean(new StageTarget(input.evaluation(), input.candidate(), phase, gpus, held.handle()));
            touched = Optional.empty();
        } catch (ActivityFailure e) {
            if (Waits.ended(e) == Waits.Ended.CANCELLED) {
                throw e;
            }
            notClean(held, e);
        }
    }

    /**
     * Leaves a borrowed machine as it was however the trial ends: stops what runs and takes our traces off it. A rented
     * one is deleted, and nothing may delay that.
     */
    void leave(Held held) {
        if (!held.borrowed() || held.ended()) {
            return;
        }
        try {
            open.ifPresent(calls::stop);
            touched.ifPresent(calls::clean);
        } catch (ActivityFailure e) {
            notClean(held, e);
        }
    }

    private void notClean(Held held, ActivityFailure e) {
        if (held.borrowed()) {
            trial.note(input.evaluation(), input.candidate(), "NOT_CLEAN", Waits.words(e));
        }
        Workflow.getLogger(StageDesk.class).info("could not clean the machine: {}", Waits.words(e));
    }

    private StageSummary once(Held held, StageTarget target, StageName stage, int attempt) {
        Duration limit = WorkTime.limit(input.plan(), stage);
        String id = target.lease().lease() + "-" + target.phase().word().charAt(0) + target.gpus() + "-" + stage.word()
                + "-" + attempt;
        StageRun run = new StageRun(id, target, stage, attempt, limit);
        trial.position(
                input.evaluation(), input.candidate(), "stage", target.phase().word(), stage.word());
        running = Optional.of(stage);
        last = running;
        open = Optional.of(run);
        skip = false;
        String how;
        try {
            how = runToEnd(held, run);
            open = Optional.empty();
            return calls.finish(run, how);
        } catch (ActivityFailure e) {
            if (Waits.ended(e) == Waits.Ended.CANCELLED) {
                throw e;
            }
            return new StageSummary(
                    id,
                    target.phase(),
                    target.gpus(),
                    stage,
                    Verdict.UNKNOWN,
                    "the machine could not be asked: " + Waits.words(e),
                    Map.of(),
                    List.of(),
                    false);
        } finally {
            running = Optional.empty();
        }
    }

    private String runToEnd(Held held, StageRun run) {
        calls.start(run);
        StageActivities waiter = Workflow.newActivityStub(
                StageActivities.class,
                Waits.poll(Queues.STAGES, POLL, run.limit().plus(WorkTime.STAGE_GRACE)));
        @SuppressWarnings("unchecked")
        Promise<Void>[] wait = (Promise<Void>[]) new Promise<?>[1];
        CancellationScope scope = Workflow.newCancellationScope(() -> wait[0] = Async.procedure(waiter::await, run));
        scope.run();
        Workflow.await(() -> wait[0].isCompleted() || held.ended() || skip);
        if (!wait[0].isCompleted()) {
            scope.cancel("no longer wanted");
            if (held.ended()) {
                return "lost";
            }
            calls.stop(run);
            return "skipped";
        }
        try {
            wait[0].get();
            return "ok";
        } catch (ActivityFailure e) {
            switch (Waits.ended(e)) {
                case CANCELLED -> throw e;
                case LIMIT -> {
                    calls.stop(run);
                    return "timed-out";
                }
                case UNREACHABLE, FAILED -> {
                    return "lost";
                }
            }
            throw new IllegalStateException("unreachable");
        }
    }
}
