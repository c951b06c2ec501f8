package dev.seatrial.app.cli;

import dev.seatrial.app.config.ProblemsException;
import dev.seatrial.app.config.Settings;
import dev.seatrial.domain.ledger.LedgerException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ParentCommand;

/** What every command has: the options that go with all of them, and the one place where problems become words. */
abstract class Base implements Callable<Integer> {
    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    Seatrial root;

    /** The command's own work. @return the exit code */
    abstract int run(Ui ui) throws Problem;

    @Override
    public final Integer call() {
        Ui ui = root.ui();
        try {
            if (root.lang.filter(l -> !l.equals("en") && !l.equals("zh")).isPresent()) {
                throw new Problem(ExitCode.USAGE, ui.say("lang.unknown", root.lang.get()));
            }
            return run(ui);
        } catch (Problem p) {
            return ui.problem(p.code(), String.valueOf(p.getMessage()), p.next());
        } catch (ProblemsException e) {
            return ui.problem(ExitCode.USAGE, String.valueOf(e.getMessage()), Optional.empty());
        } catch (LedgerException e) {
            return ui.problem(
                    ExitCode.INTERNAL, ui.say("ledger.trouble", e.getMessage()), Optional.of(ui.say("ledger.next")));
        }
    }

    /** Reads the configuration. Creates nothing. */
    Settings settings(Ui ui) throws Problem {
        return SettingsAccess.load(root.config, ui.locale());
    }

    /** How the user starts another command of this program with the same configuration. */
    String command(String words) {
        return root.config.map(f -> "./seatrial " + words + " --config " + f).orElse("./seatrial " + words);
    }
}
