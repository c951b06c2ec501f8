package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.SweepRun;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.sweep.SweepLine;
import dev.seatrial.app.sweep.SweepLine.Action;
import dev.seatrial.provider.ProviderId;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finds and releases what should not exist any more; works from names and deadlines when the ledger cannot be read. */
@Command(name = "sweep", mixinStandardHelpOptions = true)
final class SweepCommand extends Base {
    private static final Duration BETWEEN = Duration.ofSeconds(3);

    @Parameters(index = "0..*", paramLabel = "PROVIDER", descriptionKey = "sweep.providers")
    List<String> only = List.of();

    @Option(names = "--dry-run", descriptionKey = "dry-run")
    boolean dryRun;

    @Option(names = "--wait", paramLabel = "MINUTES", defaultValue = "15", descriptionKey = "release-wait")
    int wait;

    @Override
    int run(Ui ui) throws Problem {
        Settings settings = settings(ui);
        Set<ProviderId> accounts = new TreeSet<>();
        for (String name : only) {
            accounts.add(OwnerAccess.provider(name, ui));
        }
        try (SweepRun sweep = SweepRun.open(settings, Clock.systemUTC())) {
            sweep.ledgerTrouble().ifPresent(t -> ui.err(ui.say("sweep.no-ledger", t)));
            long end = System.nanoTime() + Duration.ofMinutes(wait).toNanos();
            List<SweepLine> lines;
            boolean open;
            do {
                lines = sweep.round(accounts, dryRun);
                lines.forEach(l -> ui.err(line(ui, l)));
                open = lines.stream().anyMatch(l -> l.action() == Action.RELEASE || l.action() == Action.TROUBLE);
                if (open && !dryRun) {
                    Steps.pause(BETWEEN);
                }
            } while (open && !dryRun && System.nanoTime() < end);
            document(ui, lines);
            ui.out(ui.say(open ? (dryRun ? "sweep.would" : "sweep.open") : "sweep.clean"));
            return open && !dryRun ? ExitCode.NOT_RELEASED : ExitCode.OK;
        }
    }

    private static String line(Ui ui, SweepLine l) {
        return ui.say("sweep.line", l.provider(), l.what(), l.id(), l.name(), l.action(), l.why());
    }

    private void document(Ui ui, List<SweepLine> lines) {
        ObjectNode doc = JsonNodeFactory.instance.objectNode();
        doc.put("dryRun", dryRun);
        ArrayNode list = doc.putArray("seen");
        for (SweepLine l : lines) {
            list.addObject()
                    .put("provider", l.provider())
                    .put("what", l.what())
                    .put("id", l.id())
                    .put("name", l.name())
                    .put("action", l.action().name())
                    .put("why", l.why());
        }
        ui.document(doc);
    }
}
