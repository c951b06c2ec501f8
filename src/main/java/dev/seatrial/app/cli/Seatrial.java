package dev.seatrial.app.cli;

import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command. */
@Command(
        name = "seatrial",
        version = "seatrial 0.1.0",
        mixinStandardHelpOptions = true,
        subcommands = {
            InitCommand.class,
            CheckCommand.class,
            EvaluateCommand.class,
            ShowCommand.class,
            EvaluationsCommand.class,
            CancelCommand.class,
            ApproveCommand.class,
            ResumeCommand.class,
            LeasesCommand.class,
            ReleaseCommand.class,
            SweepCommand.class,
            ReportCommand.class,
            ProvidersCommand.class,
            OffersCommand.class,
            SimulatorCommand.class,
            WarmupCommand.class
        })
public final class Seatrial implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), spec.resourceBundle().getString("command.missing"));
    }

    /** Runs one command line. @return the exit code */
    public static int execute(String... args) {
        Locale locale = locale(langOf(args));
        CommandLine line = new CommandLine(new Seatrial());
        line.setResourceBundle(Ui.bundle(locale));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setExecutionExceptionHandler((e, cmd, parsed) -> {
            org.slf4j.LoggerFactory.getLogger(Seatrial.class).error("command failed", e);
            cmd.getErr().println(Ui.bundle(locale).getString("internal") + " " + e);
            return ExitCode.INTERNAL;
        });
        line.getSubcommands()
                .values()
                .forEach(c -> c.setParameterExceptionHandler(line.getParameterExceptionHandler()));
        return line.execute(args);
    }

    /** The language asked for, else the locale's: 中文 for any Chinese locale, English otherwise. */
    static Locale locale(Optional<String> lang) {
        String word = lang.orElseGet(() -> Optional.ofNullable(System.getenv("SEATRIAL_LANG"))
                .or(() -> Optional.ofNullable(System.getenv("LC_ALL")).filter(s -> !s.isEmpty()))
                .or(() -> Optional.ofNullable(System.getenv("LC_MESSAGES")).filter(s -> !s.isEmpty()))
                .or(() -> Optional.ofNullable(System.getenv("LANG")))
                .orElse("en"));
        return word.startsWith("zh") ? Locale.SIMPLIFIED_CHINESE : Locale.ENGLISH;
    }

    private static Optional<String> langOf(String... args) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].startsWith("--lang=")) {
                return Optional.of(args[i].substring("--lang=".length()));
            }
            if (args[i].equals("--lang") && i + 1 < args.length) {
                return Optional.of(args[i + 1]);
            }
        }
        return Optional.empty();
    }
}
