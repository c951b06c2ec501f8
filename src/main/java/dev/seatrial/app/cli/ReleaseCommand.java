package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlClient;
import dev.seatrial.app.lease.LeaseActivitiesImpl;
import dev.seatrial.app.lease.ReleaseStep;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends one lease now and waits until it is proven gone; for a handed-over machine, records that it was given back. */
@Command(name = "release", mixinStandardHelpOptions = true)
final class ReleaseCommand extends Base {
    @Parameters(index = "0", paramLabel = "LEASE", descriptionKey = "lease")
    @SuppressWarnings("NullAway.Init")
    String lease;

    @Option(names = "--wait", paramLabel = "MINUTES", defaultValue = "15", descriptionKey = "release-wait")
    int wait;

    @Override
    int run(Ui ui) throws Problem {
        Duration patience = Patience.ofMinutes(wait, "--wait", ui);
        Settings settings = settings(ui);
        Optional<ControlClient> owner = ControlClient.of(settings.home());
        if (owner.isPresent()) {
            ControlClient.Answer answer = owner.get().release(lease);
            if (answer.done()) {
                return OwnerAccess.answer(ui, answer, "release.asked", Optional.of(lease));
            }
        }
        try (App app = App.open(settings, Clock.systemUTC())) {
            LeaseRow row = app.ledger()
                    .lease(lease)
                    .orElseThrow(() -> new Problem(ExitCode.USAGE, ui.say("lease.unknown", lease)));
            if (row.state() == LeaseState.HANDED_BACK) {
                app.ledger()
                        .leaseEvent(
                                lease,
                                LeaseEvent.RETURN_CONFIRMED,
                                "by the user",
                                Clock.systemUTC().instant());
                app.ledger()
                        .audit(
                                "cli",
                                LeaseEvent.RETURN_CONFIRMED,
                                lease,
                                Clock.systemUTC().instant());
                ui.out(ui.say("release.confirmed", lease));
                OwnerAccess.done(ui, "lease", lease);
                return ExitCode.OK;
            }
            app.ledger().audit("cli", "release", lease, Clock.systemUTC().instant());
            boolean gone = Steps.until(
                    patience,
                    () -> app.releaser().step(LeaseActivitiesImpl.handle(row), "asked on the command line"),
                    step -> tell(ui, step));
            if (gone) {
                OwnerAccess.done(ui, "lease", lease);
                return ExitCode.OK;
            }
            throw new Problem(
                    ExitCode.NOT_RELEASED,
                    ui.say("release.later", lease, ui.say("evaluate.release-wait", wait)),
                    Optional.of(command("release " + lease)));
        }
    }

    private void tell(Ui ui, ReleaseStep step) {
        if (step instanceof ReleaseStep.Gone gone) {
            ui.out(ui.say("release.gone", lease, gone.at().toString()));
        } else if (step instanceof ReleaseStep.NotYetGone later) {
            ui.err(ui.say("release.later", lease, later.why()));
        }
    }
}
