package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.app.App;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlClient;
import dev.seatrial.app.service.EvaluationService.Unusable;
import dev.seatrial.app.service.Starter.Obstacle;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Hands work to the service of this data directory and watches it from here. The service owns it: leaving only ends the
 * watching.
 */
final class Follow {
    private static final Duration LOOK = Duration.ofMillis(400);
    private static final int TRIES = 3;

    private final Ui ui;
    private final Settings settings;
    private final ControlClient service;
    private final boolean live;
    private final String cancel;

    /** @param cancel how the user starts {@code cancel} */
    Follow(Ui ui, Settings settings, ControlClient service, boolean plain, String cancel) {
        this.ui = ui;
        this.settings = settings;
        this.service = service;
        this.live = !plain && System.console() != null;
        this.cancel = cancel;
    }

    /** How a refusal becomes a problem. */
    interface Refusal {
        Problem of(Ui ui, Obstacle obstacle, List<String> errors, List<Unusable> unusable);
    }

    /** Hands a plan over. @return the evaluation */
    String submit(Path plan, boolean partial, Refusal refusal) throws Problem {
        // One key for all tries: an answer that was lost must not start a second evaluation.
        String key = UUID.randomUUID().toString();
        ControlClient.Reply reply = send(plan, partial, key);
        JsonNode body = reply.document();
        List<Unusable> unusable = new ArrayList<>();
        body.path("unusable")
                .forEach(u -> unusable.add(
                        new Unusable(u.path("candidate").asText(), u.path("why").asText())));
        if (reply.status() == 201) {
            unusable.forEach(u -> ui.err(ui.say("evaluate.unusable", u.candidate(), u.why())));
            String id = body.path("evaluation").asText();
            ui.err(ui.say("follow.started", id, cancel + " " + id));
            return id;
        }
        if (body.has("obstacle")) {
            List<String> errors = new ArrayList<>();
            body.path("errors").forEach(e -> errors.add(e.asText()));
            Obstacle obstacle = Obstacle.valueOf(body.path("obstacle").asText().toUpperCase(Locale.ROOT));
            throw refusal.of(ui, obstacle, errors, unusable);
        }
        throw new Problem(ExitCode.USAGE, body.path("detail").asText("HTTP " + reply.status()));
    }

    private ControlClient.Reply send(Path plan, boolean partial, String key) throws Problem {
        for (int i = 1; ; i++) {
            try {
                return service.start(
                        Files.readString(plan), plan, partial, key, ui.locale().getLanguage());
            } catch (IOException e) {
                if (i == TRIES) {
                    throw new Problem(ExitCode.INTERNAL, ui.say("follow.silent", e.getMessage()));
                }
            }
        }
    }

    /** Asks for an interrupted evaluation to be finished. @return the evaluation */
    String resume(Optional<String> wanted) throws Problem {
        try (App app = OwnerAccess.lookAtSomething(settings, ui)) {
            String id = OwnerAccess.evaluation(app, wanted, ui).id();
            ControlClient.Answer answer = service.resume(id);
            if (!answer.done()) {
                throw new Problem(ExitCode.USAGE, answer.detail());
            }
            ui.err(ui.say("resume.started", id));
            return id;
        }
    }

    /** Starts and watches to the end. @return the exit code */
    int over(Watch.Start start) throws Problem {
        String evaluation = start.start();
        try (App app = OwnerAccess.lookAtSomething(settings, ui)) {
            Progress progress = new Progress(ui, app.ledger(), evaluation, Clock.systemUTC(), live, settings.keys());
            boolean awaiting = false;
            EvaluationStatus status = EvaluationStatus.RUNNING;
            while (!status.ended()) {
                TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
                progress.look();
                status = app.ledger()
                        .evaluation(evaluation)
                        .map(EvaluationRow::status)
                        .orElse(EvaluationStatus.FAILED);
                if (status == EvaluationStatus.AWAITING_APPROVAL && !awaiting) {
                    ui.err(ui.say("evaluate.approval", evaluation));
                }
                awaiting = status == EvaluationStatus.AWAITING_APPROVAL;
            }
            progress.end();
            return new Ending(ui, app).tell(evaluation, live);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.CANCELLED;
        }
    }
}
