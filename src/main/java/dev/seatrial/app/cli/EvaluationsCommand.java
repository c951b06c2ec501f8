package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.App;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.Spend;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists evaluations, newest first. */
@Command(name = "evaluations", mixinStandardHelpOptions = true)
final class EvaluationsCommand extends Base {
    @Option(names = "--limit", defaultValue = "20", paramLabel = "N", descriptionKey = "limit")
    int limit;

    @Override
    int run(Ui ui) throws Problem {
        if (limit < 1) {
            throw new Problem(ExitCode.USAGE, ui.say("number.range", "--limit", 1, limit));
        }
        ObjectNode doc = JsonNodeFactory.instance.objectNode();
        ArrayNode list = doc.putArray("evaluations");
        Optional<App> ledger = OwnerAccess.look(settings(ui));
        if (ledger.isPresent()) {
            try (App app = ledger.get()) {
                OwnerAccess.warn(app, ui);
                app.ledger().evaluations(limit).forEach(e -> tell(app, e, ui, list.addObject()));
            }
        }
        if (list.isEmpty()) {
            ui.out(ui.say("evaluations.none"));
        }
        ui.document(doc);
        return ExitCode.OK;
    }

    private static void tell(App app, EvaluationRow e, Ui ui, ObjectNode n) {
        Spend spend = app.ledger().spend(e.id());
        n.put("evaluation", e.id());
        n.put("plan", e.planName());
        n.put("status", e.status().word());
        n.put("simulated", e.simulated());
        n.put("startedAt", e.startedAt().toString());
        n.put("spent", spend.spent().getAmount().toPlainString());
        n.put("currency", spend.spent().getCurrencyUnit().getCode());
        ui.out(ui.say(
                "evaluations.line",
                e.id(),
                e.planName(),
                ui.say("status." + e.status().word()),
                e.startedAt().toString(),
                Progress.money(spend.spent()),
                e.simulated() ? ui.say("simulated.tag") : ""));
    }
}
