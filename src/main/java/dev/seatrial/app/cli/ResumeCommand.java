package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
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

    @Override
    int run(Ui ui) throws Problem {
        try (App app = App.open(settings(ui), Clock.systemUTC());
                Owner owner = OwnerAccess.take(app, ui)) {
            String evaluation = OwnerAccess.evaluation(app, id, ui);
            // The dead owner's machines first: their money must be free again before new ones are asked for.
            owner.awaitRecovery();
            try {
                owner.service().resume(evaluation, "cli");
            } catch (IllegalArgumentException e) {
                throw new Problem(ExitCode.USAGE, String.valueOf(e.getMessage()));
            }
            ui.err(ui.say("resume.started", evaluation));
            return new Watch(ui, app, owner, Clock.systemUTC(), Duration.ofMinutes(15), plain).until(evaluation);
        }
    }
}
