package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.App;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists leases: open ones, all, or one with its story. Changes nothing. */
@Command(name = "leases", mixinStandardHelpOptions = true)
final class LeasesCommand extends Base {
    private static final int EVALUATIONS = 200;

    @Parameters(index = "0", arity = "0..1", paramLabel = "LEASE", descriptionKey = "lease.story")
    Optional<String> lease = Optional.empty();

    @Option(names = "--all", descriptionKey = "all")
    boolean all;

    @Override
    int run(Ui ui) throws Problem {
        ObjectNode doc = JsonNodeFactory.instance.objectNode();
        ArrayNode list = doc.putArray("leases");
        Optional<App> ledger = OwnerAccess.look(settings(ui));
        if (ledger.isPresent()) {
            try (App app = ledger.get()) {
                OwnerAccess.warn(app, ui);
                rows(app, ui).forEach(l -> tell(app, l, ui, list.addObject()));
                if (lease.isEmpty()) {
                    limits(app, ui, doc.putArray("limits"));
                }
            }
        } else if (lease.isPresent()) {
            throw unknown(ui);
        }
        if (list.isEmpty()) {
            ui.out(ui.say(all ? "leases.none" : "leases.none.open"));
        }
        ui.document(doc);
        return ExitCode.OK;
    }

    static void limits(App app, Ui ui, ArrayNode list) {
        Instant now = Clock.systemUTC().instant();
        app.ledger().spendLimits().ifPresent(limits -> {
            LimitLines.tell(ui, Optional.of(app.ledger()), limits, false, now, list);
            boolean played = app.ledger().limitUse(limits, true, now).stream()
                    .anyMatch(u -> u.used().isPositive());
            if (played) {
                LimitLines.tell(ui, Optional.of(app.ledger()), limits, true, now, list);
            }
        });
    }

    private void tell(App app, LeaseRow l, Ui ui, ObjectNode n) {
        n.put("lease", l.id());
        n.put("evaluation", l.key().evaluation());
        n.put("candidate", l.key().candidate());
        n.put("provider", l.provider().value());
        n.put("phase", l.phase().word());
        n.put("gpus", l.gpus());
        n.put("name", l.name().text());
        n.put("instance", l.instance().map(Object::toString).orElse(null));
        n.put("state", l.state().name());
        n.put("deadline", l.timing().deadline().toString());
        n.put("reserved", l.reservedInPlan().getAmount().toPlainString());
        n.put("cost", l.costInPlan().map(c -> c.getAmount().toPlainString()).orElse(null));
        n.put("currency", l.reservedInPlan().getCurrencyUnit().getCode());
        n.put("note", l.note());
        ui.out(ui.say(
                "leases.line",
                l.id(),
                l.key().candidate(),
                l.phase().word() + " ×" + l.gpus(),
                l.state(),
                l.instance().map(Object::toString).orElse("–"),
                l.timing().deadline().toString(),
                l.costInPlan()
                        .map(Progress::money)
                        .orElse(ui.say("leases.reserved", Progress.money(l.reservedInPlan())))));
        if (lease.isPresent()) {
            if (l.endpoint().isPresent() && !l.state().terminal() && !l.borrowed()) {
                String ssh = Progress.ssh(l, app.settings().keys());
                n.put("ssh", ssh);
                ui.out("  " + ssh);
            }
            ArrayNode story = n.putArray("events");
            for (LeaseEvent e : app.ledger().leaseEvents(l.id())) {
                story.addObject()
                        .put("at", e.at().toString())
                        .put("type", e.type())
                        .put("detail", e.detail());
                ui.out("  " + e.at() + "  " + e.type() + "  " + e.detail());
            }
        }
    }

    private Problem unknown(Ui ui) {
        return new Problem(ExitCode.USAGE, ui.say("lease.unknown", lease.orElse("")));
    }

    private List<LeaseRow> rows(App app, Ui ui) throws Problem {
        if (lease.isPresent()) {
            return List.of(app.ledger().lease(lease.get()).orElseThrow(() -> unknown(ui)));
        }
        if (!all) {
            return app.ledger().openLeases();
        }
        List<LeaseRow> rows = new ArrayList<>();
        for (EvaluationRow e : app.ledger().evaluations(EVALUATIONS)) {
            rows.addAll(app.ledger().leases(e.id()));
        }
        return rows;
    }
}
