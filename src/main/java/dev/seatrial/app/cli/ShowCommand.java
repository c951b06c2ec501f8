package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.seatrial.app.App;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows one evaluation; changes nothing. */
@Command(name = "show", mixinStandardHelpOptions = true)
final class ShowCommand extends Base {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ID", descriptionKey = "evaluation.or.last")
    Optional<String> id = Optional.empty();

    @Override
    int run(Ui ui) throws Problem {
        try (App app = OwnerAccess.lookAtSomething(settings(ui), ui)) {
            String evaluation = OwnerAccess.evaluation(app, id, ui).id();
            OwnerAccess.warn(app, ui);
            ui.out(app.reports().text(evaluation, ui.locale(), 120, false));
            // The published document tells of one evaluation only; limits over all are for the eye.
            LeasesCommand.limits(app, ui, JsonNodeFactory.instance.arrayNode());
            if (ui.json()) {
                ui.document(app.reports().json(evaluation));
            }
            return ExitCode.OK;
        }
    }
}
