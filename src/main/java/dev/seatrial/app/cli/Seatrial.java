package dev.seatrial.app.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command, with the options that go with every command, before or after its name. */
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
            RaiseCapCommand.class,
            SkipCommand.class,
            ResumeCommand.class,
            LeasesCommand.class,
            ReleaseCommand.class,
            SweepCommand.class,
            StopCommand.class,
            ResumeSpendingCommand.class,
            ReportCommand.class,
            ProvidersCommand.class,
            OffersCommand.class,
            SimulatorCommand.class,
            ServeCommand.class,
            WarmupCommand.class
        })
public final class Seatrial implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", descriptionKey = "config", scope = ScopeType.INHERIT)
    Optional<Path> config = Optional.empty();

    @Option(names = "--lang", paramLabel = "en|zh", descriptionKey = "lang", scope = ScopeType.INHERIT)
    Optional<String> lang = Optional.empty();

    @Option(names = "--json", descriptionKey = "json", scope = ScopeType.INHERIT)
    boolean json;

    private final Ui ui;

    private Seatrial(Ui ui) {
        this.ui = ui;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), spec.resourceBundle().getString("command.missing"));
    }

    /** The terminal, in the language asked for. */
    Ui ui() {
        return ui;
    }

    /** Runs one command line of this process. @return the exit code */
    public static int execute(String... args) {
        return execute(System.getenv(), System.out, System.err, args);
    }

    /** Runs one command line. Both streams get UTF-8, whatever the terminal claims. */
    static int execute(Map<String, String> environment, PrintStream stdout, PrintStream stderr, String... args) {
        PrintStream out = new PrintStream(stdout, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(stderr, true, StandardCharsets.UTF_8);
        Locale locale = locale(langOf(args), environment);
        // Both are looked for before the command line is parsed: a problem with the command line is told in this form
        // too.
        Ui ui = new Ui(out, err, locale, Arrays.asList(args).contains("--json"));
        CommandLine line = new CommandLine(new Seatrial(ui));
        line.setOut(new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true));
        line.setErr(new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true));
        line.setResourceBundle(Ui.bundle(locale));
        line.setUsageHelpAutoWidth(true);
        line.getCommandSpec().usageMessage().synopsisSubcommandLabel("[" + ui.say("usage.command") + "]");
        line.setExecutionExceptionHandler((e, cmd, parsed) -> {
            org.slf4j.LoggerFactory.getLogger(Seatrial.class).error("command failed", e);
            return ui.problem(ExitCode.INTERNAL, ui.say("internal", e), Optional.empty());
        });
        line.setParameterExceptionHandler((e, given) -> {
            String help = e.getCommandLine().getCommandSpec().qualifiedName() + " --help";
            return ui.problem(ExitCode.USAGE, UsageWords.of(ui, e), Optional.of("./" + help));
        });
        return line.execute(args);
    }

    /** The language asked for, else the locale's: 中文 for any Chinese locale, English otherwise. */
    static Locale locale(Optional<String> lang, Map<String, String> environment) {
        String word = lang.orElseGet(() -> set(environment, "SEATRIAL_LANG")
                .or(() -> set(environment, "LC_ALL"))
                .or(() -> set(environment, "LC_MESSAGES"))
                .or(() -> set(environment, "LANG"))
                .orElse("en"));
        return word.toLowerCase(Locale.ROOT).startsWith("zh") ? Locale.SIMPLIFIED_CHINESE : Locale.ENGLISH;
    }

    private static Optional<String> set(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(s -> !s.isBlank());
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
