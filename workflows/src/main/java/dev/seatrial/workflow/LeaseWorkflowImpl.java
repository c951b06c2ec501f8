package dev.seatrial.workflow;

import dev.seatrial.provider.ErrorKind;
import dev.seatrial.workflow.LeaseResult.End;
import io.temporal.activity.ActivityOptions;
import io.temporal.common.RetryOptions;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Owns one instance. The release is planned before the create is sent and goes by name, so it needs no answer of the
 * create; it runs in a detached scope and starts only once the create can no longer be in flight.
 */
public class LeaseWorkflowImpl implements LeaseWorkflow {
    /** Longest a create call may be in flight; the HTTP client's own call time-out is shorter. */
    static final Duration CREATE_IN_FLIGHT = Duration.ofMinutes(2);

    private static final Duration LEDGER_AWAY = Duration.ofMinutes(10);
    private static final Duration POLL = Duration.ofSeconds(2);

    private Optional<String> releaseReason = Optional.empty();
    private String phase = "reserving";
    private Optional<LeaseHandle> handle = Optional.empty();

    @Override
    public LeaseResult run(LeaseRequest request) {
        return Bugs.guard(() -> open(request));
    }

    @Override
    public void release(String reason) {
        if (releaseReason.isEmpty()) {
            releaseReason = Optional.ofNullable(reason).or(() -> Optional.of("asked"));
        }
    }

    @Override
    public String phase() {
        return phase;
    }

    private LeaseResult open(LeaseRequest request) {
        LeaseActivities ledger = Workflow.newActivityStub(
                LeaseActivities.class, Waits.call(Queues.RELEASE, Duration.ofSeconds(30), LEDGER_AWAY));
        LeaseOpening[] opening = new LeaseOpening[1];
        // Detached: an answer lost to a cancellation would leave reserved money behind.
        Workflow.newDetachedCancellationScope(() -> opening[0] = ledger.open(request))
                .run();
        return switch (opening[0].decision()) {
            case REFUSED -> notGranted(End.NO_MONEY, opening[0].words());
            case LATER -> notGranted(End.MONEY_LATER, opening[0].words());
            case NO_TIME -> notGranted(End.NO_TIME, opening[0].words());
            case GRANTED ->
                own(
                        request,
                        opening[0].handle().orElseThrow(),
                        opening[0].deadline().orElseThrow());
        };
    }

    private static LeaseResult notGranted(End end, String words) {
        return new LeaseResult(end, Optional.empty(), Optional.empty(), words);
    }

    private LeaseResult own(LeaseRequest request, LeaseHandle granted, Instant deadline) {
        handle = Optional.of(granted);
        Acquisition acquisition = new Acquisition();
        @SuppressWarnings("unchecked")
        Promise<LeaseResult>[] acquired = (Promise<LeaseResult>[]) new Promise<?>[1];
        CancellationScope acquiring = Workflow.newCancellationScope(
                () -> acquired[0] = Async.function(acquisition::run, request, granted, deadline));
        Optional<LeaseResult> result = Optional.empty();
        String why = "deadline";
        try {
            acquiring.run();
            Waits.until(deadline, () -> acquired[0].isCompleted() || releaseReason.isPresent());
            if (!acquired[0].isCompleted()) {
                acquiring.cancel("no longer wanted");
            }
            LeaseResult end = acquired[0].get();
            if (end.end() == End.RELEASED) {
                hold(deadline);
                why = releaseReason.orElse("deadline");
            } else {
                why = end.words();
            }
            result = Optional.of(end);
        } catch (CanceledFailure e) {
            why = "cancelled";
        } catch (ActivityFailure e) {
            why = Waits.words(e);
            if (Waits.ended(e) != Waits.Ended.CANCELLED) {
                result = Optional.of(
                        new LeaseResult(End.NEVER_READY, Optional.of(granted.lease()), Optional.empty(), why));
            }
        } finally {
            String reason = releaseReason.orElse(why);
            boolean nothing = result.map(r -> r.end() == End.REFUSED && !acquisition.mayExist)
                    .orElse(false);
            if (!nothing) {
                Workflow.newDetachedCancellationScope(() -> {
                            // Release starts when the create has returned or can no longer be in flight.
                            Workflow.await(() -> acquired[0] == null || acquired[0].isCompleted());
                            phase = "releasing";
                            releaser().releaseUntilGone(handle.orElse(granted), reason);
                        })
                        .run();
            }
            phase = "done";
        }
        String words = why;
        return result.orElseGet(
                () -> new LeaseResult(End.CANCELLED, Optional.of(granted.lease()), Optional.empty(), words));
    }

    private void hold(Instant deadline) {
        phase = "holding";
        tellParent();
        Waits.until(deadline, () -> releaseReason.isPresent());
    }

    private void tellParent() {
        LeaseHandle ready = handle.orElseThrow();
        // Without a parent nobody needs to know, and the deadline ends the hold.
        Workflow.getInfo()
                .getParentWorkflowId()
                .ifPresent(
                        parent -> Signals.bestEffort(() -> Workflow.newExternalWorkflowStub(TrialWorkflow.class, parent)
                                .leaseReady(ready)));
    }

    private static LeaseActivities releaser() {
        // No limit: a release is never given up.
        return Workflow.newActivityStub(LeaseActivities.class, Waits.poll(Queues.RELEASE, POLL, Duration.ZERO));
    }

    /** Create or adopt, then wait until usable. */
    private final class Acquisition {
        private boolean mayExist;

        LeaseResult run(LeaseRequest request, LeaseHandle granted, Instant deadline) {
            phase = "creating";
            CreateResult created = create(request, granted);
            created.instance().ifPresent(id -> handle = Optional.of(granted.withInstance(id)));
            if (created.outcome() == CreateResult.Outcome.SUSPECT) {
                phase = "resolving";
                created = poll(Waits.until(deadline)).resolve(handle.orElse(granted));
                created.instance().ifPresent(id -> handle = Optional.of(granted.withInstance(id)));
            }
            switch (created.outcome()) {
                case NOT_CREATED -> {
                    mayExist = false;
                    return refused(granted, created);
                }
                case REFUSED_WITH_ID -> {
                    return refused(granted, created);
                }
                case SUSPECT -> {
                    return new LeaseResult(
                            End.NEVER_READY, Optional.of(granted.lease()), created.kind(), created.words());
                }
                case CREATED -> {
                    return awaitReady(request, granted, deadline);
                }
            }
            throw new IllegalStateException("unreachable");
        }

        private CreateResult create(LeaseRequest request, LeaseHandle granted) {
            LeaseActivities once = Workflow.newActivityStub(
                    LeaseActivities.class,
                    ActivityOptions.newBuilder()
                            .setTaskQueue(Queues.RELEASE)
                            .setStartToCloseTimeout(CREATE_IN_FLIGHT)
                            .setRetryOptions(RetryOptions.newBuilder()
                                    .setMaximumAttempts(1)
                                    .build())
                            .build());
            mayExist = true;
            CreateResult[] created = new CreateResult[1];
            try {
                // Detached: a create is never cancelled in flight; what it did is known only once it has returned.
                Workflow.newDetachedCancellationScope(() -> created[0] = once.create(granted, request))
                        .run();
                return created[0];
            } catch (ActivityFailure e) {
                return new CreateResult(
                        CreateResult.Outcome.SUSPECT, Optional.empty(), Optional.empty(), Waits.words(e));
            }
        }

        private LeaseResult awaitReady(LeaseRequest request, LeaseHandle granted, Instant deadline) {
            phase = "provisioning";
            Duration left = Waits.until(deadline);
            Duration limit = request.provisioning().compareTo(left) < 0 ? request.provisioning() : left;
            Optional<String> lease = Optional.of(granted.lease());
            try {
                ReadyResult ready = poll(limit).awaitReady(handle.orElseThrow());
                if (ready.endpoint().isEmpty()) {
                    return new LeaseResult(End.NEVER_READY, lease, Optional.empty(), ready.words());
                }
                handle = handle.map(h -> h.withEndpoint(ready.endpoint().orElseThrow()));
                return new LeaseResult(End.RELEASED, lease, Optional.empty(), "");
            } catch (ActivityFailure e) {
                return switch (Waits.ended(e)) {
                    case CANCELLED -> throw e;
                    case LIMIT, UNREACHABLE, FAILED ->
                        new LeaseResult(
                                End.NEVER_READY,
                                lease,
                                Optional.empty(),
                                "not usable within " + limit.toSeconds() + " s: " + Waits.words(e));
                };
            }
        }

        private static LeaseActivities poll(Duration limit) {
            // A limit of zero would mean none at all.
            Duration bounded = limit.isZero() ? Duration.ofMillis(1) : limit;
            return Workflow.newActivityStub(LeaseActivities.class, Waits.poll(Queues.RELEASE, POLL, bounded));
        }

        private static LeaseResult refused(LeaseHandle granted, CreateResult created) {
            return new LeaseResult(
                    End.REFUSED,
                    Optional.of(granted.lease()),
                    created.kind().or(() -> Optional.of(ErrorKind.VENDOR_UNAVAILABLE)),
                    created.words());
        }
    }
}
