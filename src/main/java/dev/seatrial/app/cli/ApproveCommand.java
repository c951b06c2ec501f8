package dev.seatrial.app.cli;

import dev.seatrial.app.control.ControlClient;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Answers a trial that waits before it spends multi-GPU money. */
@Command(name = "approve", mixinStandardHelpOptions = true)
final class ApproveCommand extends Base {
    @Parameters(index = "0", paramLabel = "ID", descriptionKey = "evaluation")
    @SuppressWarnings("NullAway.Init")
    String id;

    @Parameters(index = "1", paramLabel = "CANDIDATE", descriptionKey = "candidate")
    @SuppressWarnings("NullAway.Init")
    String candidate;

    @Option(names = "--refuse", descriptionKey = "refuse")
    boolean refuse;

    @Override
    int run(Ui ui) throws Problem {
        ControlClient owner = OwnerAccess.client(settings(ui), ui);
        return OwnerAccess.answer(
                ui,
                owner.approve(id, candidate, !refuse),
                refuse ? "approve.refused" : "approve.done",
                Optional.of(id + "/" + candidate));
    }
}
