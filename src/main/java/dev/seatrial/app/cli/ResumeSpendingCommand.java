package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.seatrial.app.App;
import dev.seatrial.app.Spending;
import dev.seatrial.app.config.Settings;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.SpendingStop;
import java.time.Clock;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Permits new leases again after {@code stop --all}. */
@Command(name = "resume-spending", mixinStandardHelpOptions = true)
final class ResumeSpendingCommand extends Base {
    @Override
    int run(Ui ui) throws Problem {
        Settings settings = settings(ui);
        Spending spending = new Spending(settings);
        Optional<SpendingStop> stop = spending.stopped();
        boolean was = spending.resume();
        if (was) {
            audit(settings, ui);
        }
        ui.out(was ? ui.say("spending.resumed", stop.map(SpendingStop::at).orElseThrow()) : ui.say("spending.was-not"));
        ui.document(JsonNodeFactory.instance.objectNode().put("stopped", false).put("wasStopped", was));
        return ExitCode.OK;
    }

    /** After the fact: spending is permitted, whether or not it can be written down. */
    private static void audit(Settings settings, Ui ui) {
        Clock clock = Clock.systemUTC();
        try (App app = App.open(settings, clock)) {
            app.ledger().audit("cli", "resume-spending", settings.home().toString(), clock.instant());
        } catch (LedgerException e) {
            ui.err(ui.say("ledger.trouble", e.getMessage()));
        }
    }
}
