package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Watches an evaluation of this process to its end and tells how it ended. */
final class Watch {
    private static final int COLUMNS = 120;
    private static final long LOOK_MILLIS = 400;

    private final Ui ui;
    private final App app;
    private final Owner owner;
    private final InstantSource clock;
    private final Duration releaseWait;
    private final boolean live;

    Watch(Ui ui, App app, Owner owner, InstantSource clock, Duration releaseWait, boolean plain) {
        this.ui = ui;
        this.app = app;
        this.owner = owner;
        this.clock = clock;
        this.releaseWait = releaseWait;
        this.live = !plain && System.console() != null;
    }

    int until(String evaluation) {
        Progress progress = new Progress(ui, app.ledger(), evaluation, clock, live);
        Interrupts interrupts = new Interrupts(
                ui,
                app.ledger(),
                evaluation,
                () -> owner.service().cancel(evaluation, "signal"),
                // Not a clean exit on purpose: the third signal means now.
                code -> Runtime.getRuntime().halt(code));
        interrupts.install();
        CompletableFuture<EvaluationStatus> end = owner.service().completion(evaluation);
        Optional<Instant> cancelledAt = Optional.empty();
        boolean awaiting = false;
        while (!ended(end)) {
            progress.look();
            awaiting = tellApproval(evaluation, awaiting);
            if (interrupts.times() > 0 && cancelledAt.isEmpty()) {
                cancelledAt = Optional.of(clock.instant());
            }
            boolean patienceOver = cancelledAt
                    .map(c -> c.plus(releaseWait).isBefore(clock.instant()))
                    .orElse(false);
            if (patienceOver && System.console() == null) {
                ui.err(ui.say("evaluate.release-wait", releaseWait.toMinutes()));
                return ExitCode.NOT_RELEASED;
            }
        }
        progress.look();
        progress.end();
        owner.awaitRecovery();
        return tell(evaluation);
    }

    private int tell(String evaluation) {
        Path report = app.reports().write(evaluation, ui.locale());
        ui.out("");
        ui.out(app.reports().text(evaluation, ui.locale(), columns(), live));
        if (ui.json()) {
            ui.document(app.reports().json(evaluation));
        }
        EvaluationRow row = app.ledger().evaluation(evaluation).orElseThrow();
        int code = ExitCode.of(app.ledger(), row);
        ui.err(ui.say("evaluate.ended", row.status().word(), code, report));
        return code;
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
            end.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
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

    private static int columns() {
        try {
            return Math.max(
                    60,
                    Integer.parseInt(
                            Optional.ofNullable(System.getenv("COLUMNS")).orElse("")));
        } catch (NumberFormatException e) {
            return COLUMNS;
        }
    }
}
