package dev.seatrial.workflow;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Offer;
import dev.seatrial.workflow.TrialActivities.Stop;
import io.temporal.api.enums.v1.ParentClosePolicy;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.ChildWorkflowFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.ChildWorkflowCancellationType;
import io.temporal.workflow.ChildWorkflowOptions;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Obtains one machine at a time for a trial and gives it back. Workflow code, one per trial run. */
final class MachineDesk {
    /** Machines a phase may use: never ready and bad cards count, refusals cost nothing and do not. */
    static final int MACHINES_PER_PHASE = 3;

    private static final Duration LEAST_PAUSE = Duration.ofSeconds(2);
    private static final Duration MOST_PAUSE = Duration.ofSeconds(60);

    private final TrialInput input;
    private final TrialActivities trial;
    private final Map<Phase, Integer> ordinals = new EnumMap<>(Phase.class);
    private final Map<Phase, Integer> machines = new EnumMap<>(Phase.class);
    private Optional<LeaseHandle> arrived = Optional.empty();
    private Optional<Held> current = Optional.empty();
    private boolean singlesDone;
    private boolean everReady;

    MachineDesk(TrialInput input, TrialActivities trial) {
        this.input = input;
        this.trial = trial;
        ordinals.put(Phase.SINGLE, input.singleOrdinal());
        ordinals.put(Phase.MULTI, input.multiOrdinal());
    }

    /** A machine in hand. */
    record Held(LeaseWorkflow lease, Promise<LeaseResult> end, LeaseHandle handle, Offer offer, boolean borrowed) {
        boolean ended() {
            return end.isCompleted();
        }
    }

    /** What came of trying. */
    sealed interface Obtained {
        record Ready(Held held) implements Obtained {}

        record Stopped(Stop stop) implements Obtained {}
    }

    /** From the signal handler: only remembers. */
    void arrived(LeaseHandle handle) {
        arrived = Optional.of(handle);
    }

    /** From the signal handler: only remembers. */
    void allSinglesDone() {
        singlesDone = true;
    }

    boolean everReady() {
        return everReady;
    }

    /** The machine in hand, also when it has ended meanwhile. */
    Optional<Held> inHand() {
        return current;
    }

    /** Whether one more machine may be used in this phase. */
    boolean another(Phase phase) {
        return machines.getOrDefault(phase, 0) < MACHINES_PER_PHASE;
    }

    /**
     * Tries the offers in order until one is ready, the window closes or the answer is final.
     *
     * @param work longest time our work takes on an offer
     */
    Obtained obtain(Phase phase, int gpus, OfferChoice choice, Function<Offer, Duration> work) {
        Instant end = Waits.now().plus(input.plan().limits().provisioning());
        Duration pause = choice.pollInterval().compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : choice.pollInterval();
        String lastWords = "";
        while (true) {
            for (Offer offer : choice.offers()) {
                Optional<Obtained> done;
                boolean again;
                do {
                    trial.position(input.evaluation(), input.candidate(), "provisioning", phase.word(), "");
                    LeaseResult result = attempt(phase, gpus, choice, offer, work.apply(offer));
                    if (current.isPresent()) {
                        everReady = true;
                        count(phase);
                        return new Obtained.Ready(current.get());
                    }
                    lastWords = result.words();
                    again = false;
                    done = switch (result.end()) {
                        case NO_MONEY -> stop("budget", result.words(), "budget");
                        case NO_TIME -> stop("time", result.words(), "budget");
                        case MONEY_LATER -> {
                            // In the single phase everybody would wait for everybody.
                            if (singlesDone || phase == Phase.SINGLE) {
                                yield stop("budget", result.words(), "budget");
                            }
                            trial.position(input.evaluation(), input.candidate(), "waiting", phase.word(), "");
                            Waits.until(input.notAfter(), () -> singlesDone);
                            again = singlesDone;
                            yield again ? Optional.empty() : stop("time", result.words(), "budget");
                        }
                        case REFUSED -> refused(result);
                        case NEVER_READY -> {
                            note("NEVER_READY", result.words());
                            count(phase);
                            again = another(phase);
                            yield again ? Optional.empty() : stop("provisioning", result.words(), "never-ready");
                        }
                        case CANCELLED -> stop("provisioning", result.words(), "cancelled");
                        case RELEASED -> stop("provisioning", "its time was over before it was used", "lost");
                    };
                } while (again);
                if (done.isPresent()) {
                    return done.get();
                }
            }
            Instant next = Waits.now().plus(pause);
            if (next.isAfter(end)) {
                String words = choice.offers().isEmpty()
                        ? "no offer fits"
                        : "no capacity within "
                                + input.plan().limits().provisioning().toSeconds() + " s: " + lastWords;
                return stop("provisioning", words, "refused").orElseThrow();
            }
            Waits.until(next, () -> false);
            Duration longer = pause.multipliedBy(3).dividedBy(2);
            pause = longer.compareTo(MOST_PAUSE) > 0 ? MOST_PAUSE : longer;
        }
    }

    /** Gives the machine in hand back and waits until it is proven gone. */
    void giveBack(String reason) {
        current.ifPresent(held -> end(held.lease(), held.end(), reason));
        current = Optional.empty();
    }

    private LeaseResult attempt(Phase phase, int gpus, OfferChoice choice, Offer offer, Duration work) {
        int ordinal = ordinals.merge(phase, 1, Integer::sum);
        LeaseKey key = new LeaseKey(input.evaluation(), input.candidate(), phase, ordinal);
        Duration window = input.plan().limits().provisioning();
        LeaseRequest request = new LeaseRequest(
                key,
                offer,
                gpus,
                input.plan().candidate(input.candidate()).image(),
                choice.provisioning().compareTo(window) < 0 ? choice.provisioning() : window,
                work,
                input.notAfter());
        arrived = Optional.empty();
        LeaseWorkflow lease = Workflow.newChildWorkflowStub(
                LeaseWorkflow.class,
                ChildWorkflowOptions.newBuilder()
                        .setWorkflowId(WorkflowIds.lease(key))
                        .setTaskQueue(Queues.RELEASE)
                        .setParentClosePolicy(ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL)
                        .setCancellationType(ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED)
                        .build());
        @SuppressWarnings("unchecked")
        Promise<LeaseResult>[] end = (Promise<LeaseResult>[]) new Promise<?>[1];
        // Detached: the lease ends by our asking, in this class alone, so that we always see how it ended.
        Workflow.newDetachedCancellationScope(() -> end[0] = Async.function(lease::run, request))
                .run();
        try {
            Workflow.await(() -> end[0].isCompleted() || arrived.isPresent());
        } catch (CanceledFailure cancelled) {
            end(lease, end[0], "cancelled");
            throw cancelled;
        }
        if (!end[0].isCompleted()) {
            current = arrived.map(h -> new Held(lease, end[0], h, offer, choice.borrowed()));
            return new LeaseResult(LeaseResult.End.RELEASED, Optional.empty(), Optional.empty(), "");
        }
        try {
            return end[0].get();
        } catch (ChildWorkflowFailure e) {
            // Cancelled by hand, or a bug of ours. Its own clean-up has run; the sweep owns its deadline.
            return new LeaseResult(
                    LeaseResult.End.CANCELLED,
                    Optional.empty(),
                    Optional.empty(),
                    "the lease ended early: " + Waits.words(e));
        }
    }

    private static void end(LeaseWorkflow lease, Promise<LeaseResult> end, String reason) {
        Workflow.newDetachedCancellationScope(() -> {
                    // The signal can only be sent once the child has a run; a start that failed has ended it.
                    Promise<?> started = Workflow.getWorkflowExecution(lease);
                    Workflow.await(() -> started.isCompleted() || end.isCompleted());
                    if (!end.isCompleted()) {
                        Signals.bestEffort(() -> lease.release(reason));
                    }
                    try {
                        end.get();
                    } catch (ChildWorkflowFailure failed) {
                        // The lease's own story is in the ledger; the sweep owns its deadline.
                        Workflow.getLogger(MachineDesk.class).error("lease workflow failed: {}", failed.getMessage());
                    }
                })
                .run();
    }

    private Optional<Obtained> refused(LeaseResult result) {
        ErrorKind kind = result.kind().orElse(ErrorKind.PROTOCOL);
        note(kind.name(), result.words());
        return kind.passing() ? Optional.empty() : stop("provisioning", kind.name() + ": " + result.words(), "refused");
    }

    private void note(String code, String words) {
        trial.note(input.evaluation(), input.candidate(), code, words);
    }

    private void count(Phase phase) {
        machines.merge(phase, 1, Integer::sum);
    }

    private static Optional<Obtained> stop(String at, String words, String kind) {
        return Optional.of(new Obtained.Stopped(new Stop(at, words, kind)));
    }
}
