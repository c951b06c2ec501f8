package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlClient;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finishes an interrupted evaluation; finished stages are not run again. */
@Command(name = "resume", mixinStandardHelpOptions = true)
final class ResumeCommand extends Base {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ID", descriptionKey = "evaluation.or.last")
    Optional<String> id = Optional.empty();

    @Option(names = "--plain", descriptionKey = "plain")
    boolean plain;

    @Option(names = "--release-wait", paramLabel = "MINUTES", defaultValue = "15", descriptionKey = "release-wait")
    int releaseWait;

    @Override
    int run(Ui ui) throws Problem {
        Duration patience = Patience.ofMinutes(releaseWait, "--release-wait", ui);
        Settings settings = settings(ui);
        StopCommand.refuseIfStopped(settings, ui, command("resume-spending"));
        Optional<ControlClient> service = OwnerAccess.service(settings);
        if (service.isPresent()) {
            Follow follow = new Follow(ui, settings, service.get(), plain, command("cancel"));
            return follow.over(() -> follow.resume(id));
        }
        try (App app = App.open(settings, Clock.systemUTC());
                Owner owner = OwnerAccess.take(app, ui, this::command)) {
            Watch watch = new Watch(ui, app, owner, Clock.systemUTC(), patience, plain, command("sweep"));
            return watch.over(() -> {
                String evaluation = OwnerAccess.evaluation(app, id, ui).id();
                // The dead owner's machines first: their money must be free again before new ones are asked for.
                watch.awaitRecovery();
                watch.checkpoint();
                EvaluationStatus status = app.ledger()
                        .evaluation(evaluation)
                        .map(EvaluationRow::status)
                        .orElseThrow();
                if (status != EvaluationStatus.INTERRUPTED) {
                    throw new Problem(ExitCode.USAGE, ui.say("resume.not", evaluation, status.word()));
                }
                owner.service().resume(evaluation, "cli");
                ui.err(ui.say("resume.started", evaluation));
                return evaluation;
            });
        }
    }
}
