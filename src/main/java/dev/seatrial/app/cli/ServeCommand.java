package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.app.config.Settings;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Owns the data directory for as long as it runs: takes plans from other commands, sweeps, recovers. */
@Command(name = "serve", mixinStandardHelpOptions = true)
final class ServeCommand extends Base {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration START = Duration.ofSeconds(60);
    private static final int MOST_PORTS = 65_535;

    @Option(names = "--port", paramLabel = "N", defaultValue = "8080", descriptionKey = "port")
    int port;

    @Option(names = "--release-wait", paramLabel = "MINUTES", defaultValue = "15", descriptionKey = "release-wait")
    int releaseWait;

    @Override
    int run(Ui ui) throws Problem {
        if (port < 0 || port > MOST_PORTS) {
            throw new Problem(ExitCode.USAGE, ui.say("simulator.port", port));
        }
        Duration patience = Patience.ofMinutes(releaseWait, "--release-wait", ui);
        Settings settings = settings(ui);
        Clock clock = Clock.systemUTC();
        try (App app = App.open(settings, clock);
                Owner owner = OwnerAccess.take(app, ui, this::command, Owner.Role.service(port))) {
            Interrupts interrupts = new Interrupts(ui, app.ledger(), command("sweep"), code -> {
                owner.abandon();
                // Not a clean exit on purpose: the third signal means now.
                Runtime.getRuntime().halt(code);
            });
            interrupts.install();
            URI address = listening(owner, ui);
            ui.err(ui.say("serve.started", address, settings.home()));
            ui.document(JsonNodeFactory.instance
                    .objectNode()
                    .put("url", address.toString())
                    .put("home", settings.home().toString()));
            boolean cancelled = untilAsked(interrupts, owner);
            await(owner, patience, clock);
            if (ExitCode.maybeBilling(app.ledger())) {
                ui.err(ui.say("evaluate.release-wait", patience.toMinutes()));
                return ExitCode.NOT_RELEASED;
            }
            ui.err(ui.say("serve.ended"));
            return cancelled ? ExitCode.CANCELLED : ExitCode.OK;
        }
    }

    private URI listening(Owner owner, Ui ui) throws Problem {
        try {
            return owner.address().get(START.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new Problem(
                    ExitCode.USAGE,
                    ui.say("serve.trouble", port, e.getCause().getMessage()),
                    Optional.of(ui.say("serve.trouble.next", command("serve --port 0"))));
        } catch (TimeoutException e) {
            throw new Problem(ExitCode.INTERNAL, ui.say("serve.trouble", port, START.toSeconds() + " s"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Problem(ExitCode.CANCELLED, ui.say("interrupt.early"));
        }
    }

    /** @return whether evaluations had to be cancelled */
    private static boolean untilAsked(Interrupts interrupts, Owner owner) {
        while (!interrupts.asked()) {
            pause();
        }
        boolean cancelled = owner.service().busy();
        interrupts.running(() -> owner.service().cancelAll("signal"));
        return cancelled;
    }

    /** Until everything is given back; without a terminal, no longer than patience lasts. */
    private static void await(Owner owner, Duration patience, Clock clock) {
        Instant limit = clock.instant().plus(patience);
        while ((owner.service().busy() || !owner.awaitRecovery(LOOK))
                && (System.console() != null || clock.instant().isBefore(limit))) {
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
