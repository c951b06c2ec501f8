package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.control.ControlClient;
import dev.seatrial.app.service.EvaluationService.Unusable;
import dev.seatrial.app.service.Starter.Checked;
import dev.seatrial.app.service.Starter.Obstacle;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a plan over all its candidates. */
@Command(name = "evaluate", mixinStandardHelpOptions = true)
final class EvaluateCommand extends Base {
    @Parameters(index = "0", paramLabel = "PLAN", descriptionKey = "plan")
    @SuppressWarnings("NullAway.Init")
    Path plan;

    @Option(names = "--partial", descriptionKey = "partial")
    boolean partial;

    @Option(names = "--plain", descriptionKey = "plain")
    boolean plain;

    @Option(names = "--release-wait", paramLabel = "MINUTES", defaultValue = "15", descriptionKey = "release-wait")
    int releaseWait;

    @Override
    int run(Ui ui) throws Problem {
        Duration patience = Patience.ofMinutes(releaseWait, "--release-wait", ui);
        Settings settings = settings(ui);
        StopCommand.refuseIfStopped(settings, ui, command("resume-spending"));
        Plan loaded = SettingsAccess.plan(plan, settings, ui.locale());
        ui.err(ui.say(
                "evaluate.plan",
                loaded.name(),
                loaded.candidates().size(),
                Progress.money(loaded.budget().cap())));
        Clock clock = Clock.systemUTC();
        Optional<ControlClient> service = OwnerAccess.service(settings);
        if (service.isPresent()) {
            Follow follow = new Follow(ui, settings, service.get(), plain, command("cancel"));
            return follow.over(() -> follow.submit(plan, partial, this::refusal));
        }
        try (App app = App.open(settings, clock);
                Owner owner = OwnerAccess.take(app, ui, this::command)) {
            Watch watch = new Watch(ui, app, owner, clock, patience, plain, command("sweep"));
            return watch.over(() -> {
                ui.err(ui.say("evaluate.checking"));
                Checked checked = owner.starter().check(loaded, plan, ui.locale());
                Optional<Obstacle> obstacle = checked.obstacle(partial);
                if (obstacle.isPresent()) {
                    throw refusal(ui, obstacle.get(), checked.errors(), checked.unusable());
                }
                tellUnusable(ui, checked.unusable());
                checked.risks().forEach(r -> ui.err(ui.say("evaluate.risk", r)));
                watch.checkpoint();
                String id = owner.starter().start(checked, "cli", Optional.empty());
                ui.err(ui.say("evaluate.started", id));
                return id;
            });
        }
    }

    private Problem refusal(Ui ui, Obstacle obstacle, List<String> errors, List<Unusable> unusable) {
        tellUnusable(ui, unusable);
        return switch (obstacle) {
            case PLAN -> new Problem(ExitCode.USAGE, String.join("\n", errors));
            case NONE_USABLE ->
                new Problem(
                        ExitCode.NOTHING_RENTED,
                        ui.say("evaluate.none"),
                        Optional.of(ui.say("evaluate.none.next", command("check " + plan))));
            case ONLY_SOME ->
                new Problem(
                        ExitCode.USAGE,
                        ui.say("evaluate.partial"),
                        Optional.of(ui.say("evaluate.partial.next", command("evaluate --partial " + plan))));
        };
    }

    private static void tellUnusable(Ui ui, List<Unusable> unusable) {
        unusable.forEach(u -> ui.err(ui.say("evaluate.unusable", u.candidate(), u.why())));
    }
}
