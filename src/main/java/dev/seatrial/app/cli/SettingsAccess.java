package dev.seatrial.app.cli;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.bench.OwnFiles;
import dev.seatrial.app.config.ProblemsException;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.config.SettingsLoader;
import dev.seatrial.app.plan.PlanException;
import dev.seatrial.app.plan.PlanException.PlanError;
import dev.seatrial.app.plan.YamlPlanLoader;
import dev.seatrial.app.provider.Kinds;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads configuration and plans, and turns what is wrong with them into problems for the user. */
final class SettingsAccess {
    private SettingsAccess() {}

    static Settings load(Optional<Path> file, Locale locale) throws Problem {
        try {
            return new SettingsLoader(
                            System.getenv(), Path.of(System.getProperty("user.home")), Kinds.settings(), locale)
                    .load(file);
        } catch (ProblemsException e) {
            throw new Problem(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** The user's own references and policy. */
    static OwnFiles own(Settings settings, Locale locale) throws Problem {
        try {
            return OwnFiles.read(settings, locale);
        } catch (ProblemsException e) {
            throw new Problem(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    static Plan plan(Path file, Settings settings, Locale locale) throws Problem {
        try {
            return new YamlPlanLoader(
                            Clock.systemUTC(), ZoneId.systemDefault(), GpuCatalogue.load(own(settings, locale)), locale)
                    .load(file);
        } catch (PlanException e) {
            throw new Problem(
                    ExitCode.USAGE, e.errors().stream().map(PlanError::toString).collect(Collectors.joining("\n")));
        }
    }
}
