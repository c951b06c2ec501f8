package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.Spending;
import dev.seatrial.app.StopRun;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlClient;
import dev.seatrial.app.sweep.SweepLine;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.SpendingStop;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops spending as a whole: no new lease, every evaluation cancelled, everything given back and proven gone. */
@Command(name = "stop", mixinStandardHelpOptions = true)
final class StopCommand extends Base {
    private static final Duration BETWEEN = Duration.ofSeconds(2);

    @Option(names = "--all", descriptionKey = "stop.all")
    boolean all;

    @Option(names = "--wait", paramLabel = "MINUTES", defaultValue = "15", descriptionKey = "release-wait")
    int wait;

    @Override
    int run(Ui ui) throws Problem {
        if (!all) {
            throw new Problem(ExitCode.USAGE, ui.say("stop.what"), Optional.of(command("stop --all")));
        }
        Duration patience = Patience.ofMinutes(wait, "--wait", ui);
        Settings settings = settings(ui);
        Clock clock = Clock.systemUTC();
        // First of all, so that nothing new begins whatever follows.
        Optional<SpendingStop> stop = mark(settings, clock, ui);
        boolean asked = askOwner(settings, ui);
        Map<String, SweepLine> last = new LinkedHashMap<>();
        // From now on and not from an earlier stop: a create may have been under way until the owner was told.
        try (StopRun run = StopRun.open(settings, clock.instant(), asked, clock)) {
            run.ledgerTrouble().ifPresent(t -> ui.err(ui.say("stop.no-ledger", t)));
            if (!run.knowsNames()) {
                ui.err(ui.say("stop.no-names", settings.home()));
            }
            boolean done = untilGone(run, patience, last, ui);
            document(ui, stop, run.ledgerTrouble(), List.copyOf(last.values()), done);
            if (!done) {
                throw new Problem(ExitCode.NOT_RELEASED, ui.say("stop.open"), Optional.of(command("stop --all")));
            }
            if (stop.isEmpty()) {
                return ExitCode.INTERNAL;
            }
            ui.out(ui.say("stop.done", command("resume-spending")));
            return ExitCode.OK;
        }
    }

    private static Optional<SpendingStop> mark(Settings settings, Clock clock, Ui ui) {
        try {
            SpendingStop stop = new Spending(settings).stop(clock.instant(), "stop --all");
            ui.err(ui.say("stop.marked", stop.at()));
            return Optional.of(stop);
        } catch (LedgerException e) {
            // What runs is given back all the same.
            ui.err(ui.say("stop.unmarked", e.getMessage()));
            return Optional.empty();
        }
    }

    private static boolean askOwner(Settings settings, Ui ui) {
        Optional<ControlClient> owner = ControlClient.of(settings.home());
        if (owner.isEmpty()) {
            return false;
        }
        ControlClient.Answer answer = owner.get().stopAll();
        ui.err(answer.done() ? ui.say("stop.asked") : ui.say("stop.silent", answer.detail()));
        return answer.done();
    }

    private static boolean untilGone(StopRun run, Duration patience, Map<String, SweepLine> last, Ui ui) {
        long end = System.nanoTime() + patience.toNanos();
        boolean cancelled = false;
        while (true) {
            if (!cancelled) {
                try {
                    run.cancelAbandoned();
                    cancelled = true;
                } catch (LedgerException e) {
                    ui.err(ui.say("ledger.trouble", e.getMessage()));
                }
            }
            StopRun.Round round = run.round();
            for (SweepLine l : round.lines()) {
                String thing = l.provider() + "/" + l.what() + "/" + (l.name().isEmpty() ? l.id() : l.name());
                if (!l.equals(last.put(thing, l))) {
                    ui.err(ui.say("sweep.line", l.provider(), l.what(), l.id(), l.name(), l.action(), l.why()));
                }
            }
            if (round.done()) {
                return true;
            }
            boolean hopeless = !run.knowsNames()
                    && round.lines().isEmpty()
                    && run.ledgerTrouble().isPresent();
            if (hopeless || System.nanoTime() > end || !Steps.pause(BETWEEN)) {
                return false;
            }
        }
    }

    private static void document(
            Ui ui, Optional<SpendingStop> stop, Optional<String> trouble, List<SweepLine> lines, boolean done) {
        if (!done) {
            // The problem is the document then.
            return;
        }
        ObjectNode doc = JsonNodeFactory.instance.objectNode();
        doc.put("stopped", stop.isPresent());
        doc.put("since", stop.map(s -> s.at().toString()).orElse(null));
        doc.put("clean", true);
        doc.put("ledgerTrouble", trouble.orElse(null));
        ArrayNode list = doc.putArray("seen");
        lines.forEach(l -> list.addObject()
                .put("provider", l.provider())
                .put("what", l.what())
                .put("id", l.id())
                .put("name", l.name())
                .put("action", l.action().name())
                .put("why", l.why()));
        ui.document(doc);
    }

    /** Refuses what would rent something while spending is stopped. */
    static void refuseIfStopped(Settings settings, Ui ui, String resume) throws Problem {
        Optional<SpendingStop> stop = new Spending(settings).stopped();
        if (stop.isPresent()) {
            throw new Problem(
                    ExitCode.CAP,
                    ui.say("stop.refused", stop.get().at(), stop.get().who()),
                    Optional.of(resume));
        }
    }
}
