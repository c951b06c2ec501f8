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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        Duration patience = Patience.ofMinutes(wait, "--wait", ui);
        Settings settings = settings(ui);
        Set<ProviderId> accounts = new TreeSet<>();
        for (String name : only) {
            accounts.add(OwnerAccess.provider(name, ui));
        }
        try (SweepRun sweep = SweepRun.open(settings, Clock.systemUTC())) {
            for (ProviderId id : accounts) {
                if (!sweep.accounts().contains(id)) {
                    throw new Problem(ExitCode.USAGE, ui.say("provider.unknown", id));
                }
            }
            sweep.ledgerTrouble().ifPresent(t -> ui.err(ui.say("sweep.no-ledger", t)));
            Map<String, SweepLine> last = new LinkedHashMap<>();
            long end = System.nanoTime() + patience.toNanos();
            List<SweepLine> lines;
            boolean open;
            do {
                lines = sweep.round(accounts, dryRun);
                for (SweepLine l : lines) {
                    if (!l.equals(last.put(thing(l), l))) {
                        ui.err(line(ui, l));
                    }
                }
                open = lines.stream().anyMatch(l -> l.action() == Action.RELEASE || l.action() == Action.TROUBLE);
            } while (open && !dryRun && System.nanoTime() < end && Steps.pause(BETWEEN));
            boolean unseen = lines.stream().anyMatch(l -> l.action() == Action.UNSEEN);
            document(ui, sweep.ledgerTrouble(), last.values(), !open && !unseen);
            return code(ui, sweep, lines, open, unseen);
        }
    }

    private int code(Ui ui, SweepRun sweep, List<SweepLine> lines, boolean open, boolean unseen) {
        if (open) {
            ui.out(ui.say(dryRun ? "sweep.would" : "sweep.open"));
            return dryRun ? ExitCode.OK : ExitCode.NOT_RELEASED;
        }
        if (unseen) {
            ui.out(ui.say("sweep.unseen"));
            boolean owed = lines.stream()
                    .filter(l -> l.action() == Action.UNSEEN)
                    .anyMatch(l -> sweep.mayBill(new ProviderId(l.provider())));
            return owed ? ExitCode.NOT_RELEASED : ExitCode.FAILED;
        }
        ui.out(ui.say("sweep.clean"));
        return ExitCode.OK;
    }

    private static String thing(SweepLine l) {
        return l.provider() + "/" + l.what() + "/" + (l.name().isEmpty() ? l.id() : l.name());
    }

    private static String line(Ui ui, SweepLine l) {
        return ui.say("sweep.line", l.provider(), l.what(), l.id(), l.name(), l.action(), l.why());
    }

    /** Every thing seen in any round, with the last word on it. */
    private void document(Ui ui, Optional<String> trouble, Collection<SweepLine> lines, boolean clean) {
        ObjectNode doc = JsonNodeFactory.instance.objectNode();
        doc.put("dryRun", dryRun);
        doc.put("clean", clean);
        doc.put("ledgerTrouble", trouble.orElse(null));
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
