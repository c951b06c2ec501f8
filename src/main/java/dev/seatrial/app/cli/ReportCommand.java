package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import java.io.UncheckedIOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes the report again, in the language asked for. */
@Command(name = "report", mixinStandardHelpOptions = true)
final class ReportCommand extends Base {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ID", descriptionKey = "evaluation.or.last")
    Optional<String> id = Optional.empty();

    @Override
    int run(Ui ui) throws Problem {
        try (App app = OwnerAccess.lookAtSomething(settings(ui), ui)) {
            String evaluation = OwnerAccess.evaluation(app, id, ui).id();
            try {
                ui.out(ui.say("report.written", app.reports().write(evaluation, ui.locale())));
            } catch (UncheckedIOException e) {
                throw new Problem(ExitCode.INTERNAL, ui.say("report.failed", e.getCause(), evaluation));
            }
            if (ui.json()) {
                ui.document(app.reports().json(evaluation));
            }
            return ExitCode.OK;
        }
    }
}
