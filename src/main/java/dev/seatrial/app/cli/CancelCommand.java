package dev.seatrial.app.cli;

import dev.seatrial.app.control.ControlClient;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Cancels an evaluation that runs in another process of the same data directory. */
@Command(name = "cancel", mixinStandardHelpOptions = true)
final class CancelCommand extends Base {
    @Parameters(index = "0", paramLabel = "ID", descriptionKey = "evaluation")
    @SuppressWarnings("NullAway.Init")
    String id;

    @Override
    int run(Ui ui) throws Problem {
        ControlClient owner = OwnerAccess.client(settings(ui), ui);
        return OwnerAccess.answer(ui, owner.cancel(id), "cancel.done", Optional.of(id));
    }
}
