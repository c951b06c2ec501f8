package dev.seatrial.app.cli;

import dev.seatrial.app.control.ControlClient;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Leaves out the stage that a trial runs now. */
@Command(name = "skip", mixinStandardHelpOptions = true)
final class SkipCommand extends Base {
    @Parameters(index = "0", paramLabel = "ID", descriptionKey = "evaluation")
    @SuppressWarnings("NullAway.Init")
    String id;

    @Option(names = "--candidate", paramLabel = "NAME", required = true, descriptionKey = "candidate")
    @SuppressWarnings("NullAway.Init")
    String candidate;

    @Option(names = "--stage", paramLabel = "STAGE", descriptionKey = "skip.stage")
    Optional<String> stage = Optional.empty();

    @Override
    int run(Ui ui) throws Problem {
        ControlClient owner = OwnerAccess.client(settings(ui), ui);
        return OwnerAccess.answer(ui, owner.skip(id, candidate, stage), "skip.done", Optional.of(id + "/" + candidate));
    }
}
