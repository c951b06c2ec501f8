package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlClient;
import dev.seatrial.app.ledger.HomeLock;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.provider.ProviderId;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Who owns the data directory: this process, another one, or nobody. */
final class OwnerAccess {
    private OwnerAccess() {}

    /**
     * Makes this process the owner.
     *
     * @param command how the user starts another command with the same configuration
     */
    static Owner take(App app, Ui ui, UnaryOperator<String> command) throws Problem {
        return take(app, ui, command, Owner.Role.COMMAND);
    }

    /** As above, for more than one command's work. */
    static Owner take(App app, Ui ui, UnaryOperator<String> command, Owner.Role role) throws Problem {
        HomeLock.Outcome outcome = HomeLock.acquire(app.settings().home(), Clock.systemUTC());
        if (outcome instanceof HomeLock.HeldBy held) {
            throw new Problem(
                    ExitCode.USAGE,
                    ui.say(
                            "owner.held",
                            String.valueOf(held.pid()),
                            held.since().toString(),
                            app.settings().home()),
                    Optional.of(ui.say("owner.held.next")));
        }
        return Owner.start(app, (HomeLock.Acquired) outcome, role, told -> ui.err(words(ui, told, command)));
    }

    private static String words(Ui ui, Owner.Told told, UnaryOperator<String> command) {
        if (told instanceof Owner.Told.Left left) {
            return ui.say("owner.recovered", left.leases());
        }
        if (told instanceof Owner.Told.Interrupted interrupted) {
            return ui.say(
                    "owner.interrupted", interrupted.evaluation(), command.apply("resume " + interrupted.evaluation()));
        }
        if (told instanceof Owner.Told.LimitsChanged limits) {
            return ui.say(limits.any() ? "limits.taken" : "limits.removed");
        }
        return ui.say("owner.recovery", ((Owner.Told.Line) told).text());
    }

    /** For commands that change nothing; empty when there is no ledger yet. */
    static Optional<App> look(Settings settings) {
        return App.look(settings, Clock.systemUTC());
    }

    /** For commands that need an evaluation. */
    static App lookAtSomething(Settings settings, Ui ui) throws Problem {
        return look(settings).orElseThrow(() -> none(ui));
    }

    private static Problem none(Ui ui) {
        return new Problem(
                ExitCode.USAGE,
                ui.say("evaluation.none"),
                Optional.of("./seatrial evaluate workflows/plans/quickstart.yaml"));
    }

    /** Warns of leases that a dead owner left. */
    static void warn(App app, Ui ui) {
        long left = app.ledger().openLeases().stream()
                .filter(l -> Owner.dead(app, l.owner()))
                .count();
        if (left > 0) {
            ui.err(ui.say("warn.left", left));
        }
    }

    /** The evaluation asked for, or the latest. */
    static EvaluationRow evaluation(App app, Optional<String> id, Ui ui) throws Problem {
        if (id.isPresent()) {
            return app.ledger()
                    .evaluation(id.get())
                    .orElseThrow(() -> new Problem(ExitCode.USAGE, ui.say("evaluation.unknown", id.get())));
        }
        List<EvaluationRow> rows = app.ledger().evaluations(1);
        if (rows.isEmpty()) {
            throw none(ui);
        }
        return rows.get(0);
    }

    /** The service of this data directory, if one lives: evaluations are its business then. */
    static Optional<ControlClient> service(Settings settings) {
        return ControlClient.of(settings.home()).filter(ControlClient::takesPlans);
    }

    static ControlClient client(Settings settings, Ui ui) throws Problem {
        return ControlClient.of(settings.home()).orElseThrow(() -> new Problem(ExitCode.USAGE, ui.say("owner.none")));
    }

    static int answer(Ui ui, ControlClient.Answer answer, String doneKey, Optional<String> subject) throws Problem {
        if (!answer.done()) {
            throw new Problem(ExitCode.USAGE, answer.detail());
        }
        ui.out(ui.say(doneKey, subject.orElse("")));
        done(ui, "done", subject.orElse(""));
        return ExitCode.OK;
    }

    static void done(Ui ui, String what, String subject) {
        ui.document(JsonNodeFactory.instance.objectNode().put(what, subject));
    }

    static ProviderId provider(String name, Ui ui) throws Problem {
        try {
            return new ProviderId(name);
        } catch (IllegalArgumentException e) {
            throw new Problem(ExitCode.USAGE, ui.say("provider.unknown", name));
        }
    }
}
