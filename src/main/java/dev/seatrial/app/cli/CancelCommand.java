package dev.seatrial.app.cli;

import dev.seatrial.app.control.ControlClient;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels an evaluation that runs in another process of the same data directory. */
@Command(name = "cancel", mixinStandardHelpOptions = true)
final class CancelCommand extends Base {
    @Parameters(index = "0", paramLabel = "ID", descriptionKey = "evaluation")
    @SuppressWarnings("NullAway.Init")
    String id;

    @Option(names = "--candidate", paramLabel = "NAME", descriptionKey = "cancel.candidate")
    Optional<String> candidate = Optional.empty();

    @Override
    int run(Ui ui) throws Problem {
        ControlClient owner = OwnerAccess.client(settings(ui), ui);
        if (candidate.isPresent()) {
            return OwnerAccess.answer(
                    ui,
                    owner.cancelTrial(id, candidate.get()),
                    "cancel.trial.done",
                    Optional.of(id + "/" + candidate.get()));
        }
        return OwnerAccess.answer(ui, owner.cancel(id), "cancel.done", Optional.of(id));
    }
}
