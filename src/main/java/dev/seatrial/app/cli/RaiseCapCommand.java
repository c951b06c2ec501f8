package dev.seatrial.app.cli;

import dev.seatrial.app.control.ControlClient;
import java.math.BigDecimal;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Raises a cap while an evaluation runs; pays for new leases only. */
@Command(name = "raise-cap", mixinStandardHelpOptions = true)
final class RaiseCapCommand extends Base {
    @Parameters(index = "0", paramLabel = "ID", descriptionKey = "evaluation")
    @SuppressWarnings("NullAway.Init")
    String id;

    @Option(names = "--candidate", paramLabel = "NAME", descriptionKey = "cap.candidate")
    Optional<String> candidate = Optional.empty();

    @Option(names = "--to", paramLabel = "AMOUNT", required = true, descriptionKey = "cap.to")
    @SuppressWarnings("NullAway.Init")
    BigDecimal to;

    @Override
    int run(Ui ui) throws Problem {
        ControlClient owner = OwnerAccess.client(settings(ui), ui);
        return OwnerAccess.answer(
                ui,
                owner.raiseCap(id, candidate, to),
                "cap.raised",
                Optional.of(id + candidate.map(c -> "/" + c).orElse("") + ": " + to.toPlainString()));
    }
}
