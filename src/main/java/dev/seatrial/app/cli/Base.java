package dev.seatrial.app.cli;

import dev.seatrial.app.config.Settings;
import dev.seatrial.domain.ledger.LedgerException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** What every command has: the options that go with all of them, and the one place where problems become words. */
abstract class Base implements Callable<Integer> {
    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    Seatrial root;

    @Option(names = "--config", paramLabel = "FILE", descriptionKey = "config")
    Optional<Path> config = Optional.empty();

    @Option(names = "--lang", paramLabel = "en|zh", descriptionKey = "lang")
    Optional<String> lang = Optional.empty();

    @Option(names = "--json", descriptionKey = "json")
    boolean json;

    /** The command's own work. @return the exit code */
    abstract int run(Ui ui) throws Problem;

    @Override
    public final Integer call() {
        Ui ui = new Ui(utf8(System.out), utf8(System.err), Seatrial.locale(lang), json);
        try {
            return run(ui);
        } catch (Problem p) {
            return ui.problem(p.code(), String.valueOf(p.getMessage()), p.next());
        } catch (LedgerException e) {
            return ui.problem(
                    ExitCode.INTERNAL, ui.say("ledger.trouble", e.getMessage()), Optional.of(ui.say("ledger.next")));
        }
    }

    /** Reads the configuration. Creates nothing. */
    Settings settings(Ui ui) throws Problem {
        return SettingsAccess.load(config, ui.locale());
    }

    private static PrintStream utf8(PrintStream s) {
        return new PrintStream(s, true, StandardCharsets.UTF_8);
    }
}
