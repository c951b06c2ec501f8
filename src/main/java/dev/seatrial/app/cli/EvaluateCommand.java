package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.app.Owner;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.preflight.Preflight;
import dev.seatrial.app.preflight.PreflightReport;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightWords;
import dev.seatrial.app.service.EvaluationService.Unusable;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
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
        Plan loaded = SettingsAccess.plan(plan, settings, ui.locale());
        ui.err(ui.say(
                "evaluate.plan",
                loaded.name(),
                loaded.candidates().size(),
                Progress.money(loaded.budget().cap())));
        Clock clock = Clock.systemUTC();
        try (App app = App.open(settings, clock);
                Owner owner = OwnerAccess.take(app, ui, this::command)) {
            Watch watch = new Watch(ui, app, owner, clock, patience, plain, command("sweep"));
            return watch.over(() -> {
                ui.err(ui.say("evaluate.checking"));
                PreflightReport checked = new Preflight(app.providers(), clock).check(loaded);
                List<Unusable> unusable = unusable(checked, ui);
                refuseUnlessUsable(checked, unusable, ui);
                watch.checkpoint();
                String id = owner.service().start(loaded, checked.usable(), unusable, "cli");
                ui.err(ui.say("evaluate.started", id));
                return id;
            });
        }
    }

    private void refuseUnlessUsable(PreflightReport checked, List<Unusable> unusable, Ui ui) throws Problem {
        PreflightWords words = new PreflightWords(ui.locale());
        List<Finding> planErrors = checked.planErrors();
        if (!planErrors.isEmpty()) {
            throw new Problem(
                    ExitCode.USAGE,
                    planErrors.stream()
                            .map(f -> words.inPlan(f, plan).toString())
                            .collect(Collectors.joining("\n")));
        }
        for (Unusable u : unusable) {
            ui.err(ui.say("evaluate.unusable", u.candidate(), u.why()));
        }
        if (checked.usable().isEmpty()) {
            throw new Problem(
                    ExitCode.NOTHING_RENTED,
                    ui.say("evaluate.none"),
                    Optional.of(ui.say("evaluate.none.next", command("check " + plan))));
        }
        if (!unusable.isEmpty() && !partial) {
            throw new Problem(
                    ExitCode.USAGE,
                    ui.say("evaluate.partial"),
                    Optional.of(ui.say("evaluate.partial.next", command("evaluate --partial " + plan))));
        }
    }

    private static List<Unusable> unusable(PreflightReport checked, Ui ui) {
        PreflightWords words = new PreflightWords(ui.locale());
        return checked.candidates().stream()
                .filter(c -> !c.usable())
                .map((CandidateCheck c) -> new Unusable(
                        c.candidate(), c.obstacle().map(words::message).orElse("")))
                .toList();
    }
}
