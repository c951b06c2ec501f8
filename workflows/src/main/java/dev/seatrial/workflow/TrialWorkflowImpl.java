package dev.seatrial.workflow;

import dev.seatrial.domain.measure.Gate;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.provider.Offer;
import dev.seatrial.workflow.MachineDesk.Held;
import dev.seatrial.workflow.MachineDesk.Obtained;
import dev.seatrial.workflow.TrialActivities.Stop;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.worker.NonDeterministicException;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One candidate: single phase, gate, ladder. Ends only after every lease it asked for has ended. */
public class TrialWorkflowImpl implements TrialWorkflow {
    private static final Duration CALL = Duration.ofSeconds(60);
    private static final Duration CALL_LIMIT = Duration.ofMinutes(10);

    private final TrialInput input;
    private final Plan plan;
    private final Candidate candidate;
    private final TrialActivities trial =
            Workflow.newActivityStub(TrialActivities.class, Waits.call(Queues.CONTROL, CALL, CALL_LIMIT));
    private final EvaluationActivities evaluation =
            Workflow.newActivityStub(EvaluationActivities.class, Waits.call(Queues.CONTROL, CALL, CALL_LIMIT));
    private final MachineDesk machines;
    private final StageDesk stages;
    private Optional<Boolean> approval = Optional.empty();
    private boolean awaitingApproval;
    private boolean singleReported;
    private Optional<String> cancelledBy = Optional.empty();
    private boolean over;

    @WorkflowInit
    public TrialWorkflowImpl(TrialInput input) {
        this.input = input;
        this.plan = input.plan();
        this.candidate = plan.candidate(input.candidate());
        this.machines = new MachineDesk(input, trial);
        this.stages = new StageDesk(input, trial);
    }

    @Override
    public TrialOutcome run(TrialInput ignored) {
        return Bugs.guard(this::phases);
    }

    @Override
    public void leaseReady(@Nullable LeaseHandle lease) {
        // A handler that throws would block or close the workflow without its finally: it only takes what is whole.
        if (lease != null && lease.lease() != null && lease.endpoint() != null) {
            machines.arrived(lease);
        }
    }

    @Override
    public void singlesDone() {
        machines.allSinglesDone();
    }

    @Override
    public void approveEscalation(boolean approved, String who) {
        approval = Optional.of(approved);
    }

    @Override
    public void validateApproval(boolean approved, String who) {
        if (!awaitingApproval) {
            throw new IllegalArgumentException("trial " + input.candidate() + " is not waiting for an approval");
        }
    }

    @Override
    public void skipStage(String stage) {
        stages.skipRunning();
    }

    @Override
    public void validateSkip(String stage) {
        if (!stages.running().map(StageName::word).equals(Optional.of(stage))) {
            throw new IllegalArgumentException("stage " + stage + " is not running");
        }
    }

    @Override
    public void cancelTrial(String who) {
        cancelledBy = Optional.of(who);
    }

    @Override
    public void validateCancel(@Nullable String who) {
        if (who == null) {
            throw new IllegalArgumentException("a cancellation says who asked");
        }
        if (over || cancelledBy.isPresent()) {
            throw new IllegalArgumentException(
                    "trial " + input.candidate() + " is " + (over ? "over" : "being cancelled already"));
        }
    }

    /**
     * The trial's work, ended early when {@link #cancelTrial} asks for it. Nothing in it is cancelled by a command (see
     * {@link Waits}), so that this cannot cross the end of what it cancels.
     */
    private Optional<Stop> work() {
        Optional<Stop>[] stop = newStop();
        CancellationScope scope = Workflow.newCancellationScope(() -> {
            stop[0] = single();
            if (stop[0].isEmpty()) {
                stop[0] = ladder();
            }
        });
        Workflow.newDetachedCancellationScope(() -> Async.procedure(() -> {
                    Workflow.await(() -> cancelledBy.isPresent() || over);
                    if (!over) {
                        scope.cancel("asked for");
                    }
                }))
                .run();
        scope.run();
        return stop[0];
    }

    @SuppressWarnings("unchecked")
    private static Optional<Stop>[] newStop() {
        return (Optional<Stop>[]) new Optional<?>[] {Optional.empty()};
    }

    private Stop cancelled() {
        return cancelledBy
                .map(who -> new Stop("cancelled", "cancelled by " + who, "withdrawn"))
                .orElse(new Stop("cancelled", "cancelled", "cancelled"));
    }

    private TrialOutcome phases() {
        Optional<Stop> stop = Optional.empty();
        Optional<ApplicationFailure> bug = Optional.empty();
        try {
            stop = work();
        } catch (CanceledFailure e) {
            stop = Optional.of(cancelled());
        } catch (ActivityFailure e) {
            boolean cancelled = Waits.ended(e) == Waits.Ended.CANCELLED;
            stop = Optional.of(cancelled ? cancelled() : new Stop(where(), Waits.words(e), "refused"));
        } catch (NonDeterministicException e) {
            throw e;
        } catch (RuntimeException e) {
            bug = Optional.of(
                    ApplicationFailure.newNonRetryableFailureWithCause("a bug in the trial: " + e, Bugs.TYPE, e));
            stop = Optional.of(new Stop(where(), "a bug of ours: " + e.getMessage(), "bug"));
        } finally {
            over = true;
            // Also entered on any other throwable: whatever happened, the machine goes back first.
            Workflow.newDetachedCancellationScope(() -> {
                        machines.inHand().ifPresent(stages::leave);
                        machines.giveBack("trial over");
                        reportSingle();
                    })
                    .run();
        }
        Optional<Stop> ended = stop;
        TrialOutcome[] outcome = new TrialOutcome[1];
        Workflow.newDetachedCancellationScope(() -> {
                    outcome[0] = trial.conclude(
                            input.evaluation(), input.candidate(), stages.all(), ended, machines.everReady());
                    if (cancelledBy.isPresent() && awaitingApproval) {
                        awaitingApproval = false;
                        evaluation.awaitingApproval(input.evaluation());
                    }
                })
                .run();
        if (bug.isPresent()) {
            throw bug.get();
        }
        return outcome[0];
    }

    private String where() {
        return stages.lastStarted().map(StageName::word).orElse("provisioning");
    }

    private Optional<Stop> single() {
        List<StageName> todo = stages.open(Phase.SINGLE, singleGpus(), plan.singleStages());
        boolean senseless = stages.latest(Phase.SINGLE, singleGpus()).stream()
                .anyMatch(s -> s.stage() == StageName.ENVIRONMENT && s.verdict() == Verdict.FAIL);
        if (!todo.isEmpty() && !senseless) {
            OfferChoice choice = trial.offers(input.evaluation(), input.candidate(), singleGpus());
            Optional<Stop> stop = machine(choice, todo);
            if (stop.isPresent() && stop.get().kind().equals("failed")) {
                stop = anotherMachine(choice, stop.get());
            }
            if (stop.isPresent()) {
                if (stop.get().kind().equals("failed")) {
                    keepForEvidence(Phase.SINGLE);
                }
                return stop;
            }
        }
        Optional<Stop> failed = failedAt("single/", stages.latest(Phase.SINGLE, singleGpus()));
        if (failed.isPresent()) {
            return failed;
        }
        if (!keepForMulti()) {
            machines.giveBack("single phase done");
        }
        reportSingle();
        return Optional.empty();
    }

    /** One machine for the single phase; it stays in hand when all is well. */
    private Optional<Stop> machine(OfferChoice choice, List<StageName> todo) {
        Obtained obtained = machines.obtain(Phase.SINGLE, singleGpus(), choice, singleWork());
        if (obtained instanceof Obtained.Stopped stopped) {
            return Optional.of(stopped.stop());
        }
        Held machine = ((Obtained.Ready) obtained).held();
        held = Optional.of(machine);
        List<StageName> failed = stages.run(machine, Phase.SINGLE, singleGpus(), todo);
        stages.clean(machine, Phase.SINGLE, singleGpus());
        if (machine.ended()) {
            return Optional.of(new Stop("single", "the machine was gone before the stages were done", "lost"));
        }
        return stages.latest(Phase.SINGLE, singleGpus()).stream()
                .filter(s -> failed.contains(s.stage()))
                .findFirst()
                .map(s -> failedAt("single/", s));
    }

    /** Bad card or bad offer? The failed stages once more, on another machine, within the money. */
    private Optional<Stop> anotherMachine(OfferChoice choice, Stop first) {
        if (choice.borrowed() || !machines.another(Phase.SINGLE)) {
            return Optional.of(first);
        }
        List<StageName> failed = stages.latest(Phase.SINGLE, singleGpus()).stream()
                .filter(s -> s.verdict() == Verdict.FAIL)
                .map(StageSummary::stage)
                .toList();
        List<StageName> todo = plan.singleStages().stream()
                .filter(s -> s == StageName.ENVIRONMENT
                        || failed.contains(s)
                        || stages.open(Phase.SINGLE, singleGpus(), List.of(s)).contains(s))
                .toList();
        machines.giveBack("failed its baseline");
        Optional<Stop> second = machine(choice, todo);
        if (second.isPresent() && !second.get().kind().equals("failed")) {
            trial.note(
                    input.evaluation(),
                    input.candidate(),
                    "NO_SECOND_MACHINE",
                    second.get().words());
            return second.get().kind().equals("cancelled") ? second : Optional.of(first);
        }
        return second;
    }

    private Optional<Stop> ladder() {
        if (plan.multi().isEmpty()) {
            return Optional.empty();
        }
        MultiPhase multi = plan.multi().get();
        trial.position(input.evaluation(), input.candidate(), "gate", "", "");
        Gate gate = Gate.of(stages.latest(Phase.SINGLE, singleGpus()));
        if (!gate.open()) {
            machines.giveBack("gate stays shut");
            return Optional.of(new Stop("gate", String.join("; ", gate.reasons()), "gate"));
        }
        if (multi.approve() && !approved()) {
            return Optional.of(new Stop("approval", "not approved in time or refused", "gate"));
        }
        for (int gpus : multi.gpus()) {
            List<StageName> todo = stages.open(Phase.MULTI, gpus, multi.stages());
            Optional<Stop> stop = failedAt("multi-" + gpus + "/", stages.latest(Phase.MULTI, gpus));
            if (stop.isEmpty() && !todo.isEmpty()) {
                stop = rung(multi, gpus, todo);
            }
            if (stop.isPresent()) {
                return stop;
            }
        }
        return Optional.empty();
    }

    private Optional<Stop> rung(MultiPhase multi, int gpus, List<StageName> todo) {
        Held machine;
        if (held.map(h -> !h.ended() && h.offer().gpuCount() >= gpus).orElse(false) && keepForMulti()) {
            machine = held.orElseThrow();
        } else {
            machines.giveBack("next rung");
            OfferChoice choice = trial.offers(input.evaluation(), input.candidate(), gpus);
            Obtained obtained = machines.obtain(Phase.MULTI, gpus, choice, offer -> WorkTime.rung(plan));
            if (obtained instanceof Obtained.Stopped stopped) {
                Stop s = stopped.stop();
                return Optional.of(new Stop("multi-" + gpus + "/" + s.at(), s.words(), s.kind()));
            }
            machine = ((Obtained.Ready) obtained).held();
        }
        List<StageName> failed = stages.run(machine, Phase.MULTI, gpus, todo);
        stages.clean(machine, Phase.MULTI, gpus);
        boolean gone = machine.ended();
        if (!failed.isEmpty()) {
            keepForEvidence(Phase.MULTI);
        }
        boolean last = gpus == multi.gpus().get(multi.gpus().size() - 1);
        if (last || !failed.isEmpty() || !keepForMulti()) {
            machines.giveBack("rung done");
        }
        if (gone) {
            return Optional.of(new Stop("multi-" + gpus, "the machine was gone before the stages were done", "lost"));
        }
        return failed.isEmpty()
                ? Optional.empty()
                : stages.latest(Phase.MULTI, gpus).stream()
                        .filter(s -> s.stage() == failed.get(0))
                        .findFirst()
                        .map(s -> failedAt("multi-" + gpus + "/", s));
    }

    /** The machine that failed stays for a while, until somebody releases it or its deadline comes. */
    private void keepForEvidence(Phase phase) {
        Optional<Held> machine = machines.inHand().filter(m -> !m.ended() && !m.borrowed());
        if (plan.limits().onFail().isEmpty() || machine.isEmpty()) {
            return;
        }
        Held held = machine.get();
        Instant until = Waits.now()
                .plus(plan.limits()
                        .onFail()
                        .get()
                        .hold(plan.budget().convertUp(held.offer().pricing().totalHourly())));
        // Others must not wait for a machine that is only looked at.
        reportSingle();
        trial.note(
                input.evaluation(),
                input.candidate(),
                "KEPT",
                "lease " + held.handle().lease() + " is held for evidence until " + until + " at the latest");
        trial.position(input.evaluation(), input.candidate(), "keeping", phase.word(), "");
        Waits.until(until, held::ended);
    }

    /** Waiting bills nothing: the machine of the single phase has been given back. */
    private boolean approved() {
        awaitingApproval = true;
        trial.position(input.evaluation(), input.candidate(), "approval", "", "");
        evaluation.awaitingApproval(input.evaluation());
        Waits.until(Waits.now().plus(plan.approvalTimeout()), () -> approval.isPresent());
        awaitingApproval = false;
        trial.position(input.evaluation(), input.candidate(), "gate", "", "");
        evaluation.awaitingApproval(input.evaluation());
        return approval.orElse(false);
    }

    /** The first of the phase's machine that is kept over from the single phase, when the offer has several GPUs. */
    private Optional<Held> held = Optional.empty();

    private boolean keepForMulti() {
        return held.map(h -> h.offer().gpuCount() > 1).orElse(false)
                && plan.multi().map(m -> !m.approve()).orElse(false);
    }

    private int singleGpus() {
        return candidate.wantsGpu() ? 1 : 0;
    }

    private Function<Offer, Duration> singleWork() {
        boolean whole = plan.multi().map(m -> !m.approve()).orElse(false);
        return offer ->
                whole && offer.gpuCount() > 1 ? WorkTime.wholeMachine(plan, offer.gpuCount()) : WorkTime.single(plan);
    }

    private static Optional<Stop> failedAt(String prefix, List<StageSummary> latest) {
        return latest.stream()
                .filter(s -> s.verdict() == Verdict.FAIL)
                .findFirst()
                .map(s -> failedAt(prefix, s));
    }

    private static Stop failedAt(String prefix, StageSummary s) {
        return new Stop(prefix + s.stage().word(), s.reason(), "failed");
    }

    private void reportSingle() {
        if (singleReported) {
            return;
        }
        singleReported = true;
        trial.singleDone(input.evaluation(), input.candidate());
        Workflow.getInfo()
                .getParentWorkflowId()
                .ifPresent(parent ->
                        Signals.bestEffort(() -> Workflow.newExternalWorkflowStub(EvaluationWorkflow.class, parent)
                                .singleDone(input.candidate())));
    }
}
