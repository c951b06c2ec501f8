package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.domain.ledger.EvaluationStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Watches an evaluation of this process from before its start to its end, and tells how it ended. */
final class Watch {
    private static final Duration LOOK = Duration.ofMillis(400);

    private final Ui ui;
    private final App app;
    private final Owner owner;
    private final InstantSource clock;
    private final Duration releaseWait;
    private final boolean live;
    private final String sweep;
    private final Interrupts interrupts;
    private Optional<Instant> askedAt = Optional.empty();

    /** @param sweep the command that releases what is left */
    Watch(Ui ui, App app, Owner owner, InstantSource clock, Duration releaseWait, boolean plain, String sweep) {
        this.ui = ui;
        this.app = app;
        this.owner = owner;
        this.clock = clock;
        this.releaseWait = releaseWait;
        this.live = !plain && System.console() != null;
        this.sweep = sweep;
        this.interrupts = new Interrupts(ui, app.ledger(), sweep, code -> {
            owner.abandon();
            // Not a clean exit on purpose: the third signal means now.
            Runtime.getRuntime().halt(code);
        });
    }

    /** What comes before an evaluation runs. */
    interface Start {
        /** @return the evaluation */
        String start() throws Problem;
    }

    /** Starts and watches. @return the exit code */
    int over(Start start) throws Problem {
        interrupts.install();
        String evaluation;
        try {
            evaluation = start.start();
        } catch (Problem p) {
            throw afterRecovery(p);
        }
        interrupts.running(() -> owner.service().cancel(evaluation, "signal"));
        return until(evaluation);
    }

    /** Goes on unless a signal said otherwise. */
    void checkpoint() throws Problem {
        if (interrupts.asked()) {
            throw new Problem(ExitCode.CANCELLED, ui.say("interrupt.early"));
        }
    }

    /** Waits until what a dead predecessor left is gone, or patience is over. */
    void awaitRecovery() {
        boolean told = false;
        while (!owner.awaitRecovery(LOOK) && !patienceOver()) {
            if (!told) {
                ui.err(ui.say("evaluate.recovering"));
                told = true;
            }
        }
    }

    /** A problem before the start must not end the recovery of what an earlier process left. */
    private Problem afterRecovery(Problem p) {
        awaitRecovery();
        return ExitCode.maybeBilling(app.ledger())
                ? new Problem(ExitCode.NOT_RELEASED, String.valueOf(p.getMessage()), Optional.of(sweep))
                : p;
    }

    private int until(String evaluation) {
        Progress progress = new Progress(
                ui, app.ledger(), evaluation, clock, live, app.settings().keys());
        CompletableFuture<EvaluationStatus> end = owner.service().completion(evaluation);
        boolean awaiting = false;
        while (!ended(end) && !patienceOver()) {
            progress.look();
            awaiting = tellApproval(evaluation, awaiting);
        }
        progress.look();
        progress.end();
        awaitRecovery();
        if (patienceOver() && ExitCode.maybeBilling(app.ledger())) {
            ui.err(ui.say("evaluate.release-wait", releaseWait.toMinutes()));
        }
        return new Ending(ui, app).tell(evaluation, live);
    }

    /** Only without a terminal: at one, the user decides when it is enough. */
    private boolean patienceOver() {
        if (interrupts.asked() && askedAt.isEmpty()) {
            askedAt = Optional.of(clock.instant());
        }
        return System.console() == null
                && askedAt.map(a -> a.plus(releaseWait).isBefore(clock.instant()))
                        .orElse(false);
    }

    private boolean tellApproval(String evaluation, boolean before) {
        boolean now = app.ledger()
                .evaluation(evaluation)
                .map(e -> e.status() == EvaluationStatus.AWAITING_APPROVAL)
                .orElse(false);
        if (now && !before) {
            ui.err(ui.say("evaluate.approval", evaluation));
        }
        return now;
    }

    private static boolean ended(CompletableFuture<EvaluationStatus> end) {
        try {
            end.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the evaluation's end could not be read", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
