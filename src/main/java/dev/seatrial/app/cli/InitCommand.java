package dev.seatrial.app.cli;

import dev.seatrial.app.Accounting;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.plan.PlanTemplate;
import dev.seatrial.app.plan.PlanTemplate.Answers;
import java.io.Console;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.joda.money.CurrencyUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Five questions, one plan. Answers may come as options instead. */
@Command(name = "init", mixinStandardHelpOptions = true)
final class InitCommand extends Base {
    @Option(names = "--name", paramLabel = "NAME", descriptionKey = "init.opt.name")
    Optional<String> name = Optional.empty();

    @Option(names = "--providers", paramLabel = "NAME,…", descriptionKey = "init.opt.providers")
    Optional<String> providers = Optional.empty();

    @Option(names = "--gpu", paramLabel = "MODEL", descriptionKey = "init.opt.gpu")
    Optional<String> gpu = Optional.empty();

    @Option(names = "--cap", paramLabel = "AMOUNT", descriptionKey = "init.opt.cap")
    Optional<String> cap = Optional.empty();

    @Option(names = "--currency", paramLabel = "CODE", descriptionKey = "init.opt.currency")
    Optional<String> currency = Optional.empty();

    @Option(names = "--multi", split = ",", paramLabel = "N", descriptionKey = "init.opt.multi")
    List<Integer> multi = List.of();

    @Option(names = "--output", paramLabel = "FILE", descriptionKey = "init.opt.output")
    Optional<Path> output = Optional.empty();

    @Override
    int run(Ui ui) throws Problem {
        Settings settings = settings(ui);
        String known;
        try (Accounting accounts = Accounting.open(settings, Clock.systemUTC())) {
            known = accounts.providers().names().stream().map(Object::toString).collect(Collectors.joining(", "));
        }
        String planName = answer(ui, name, "init.name");
        Path file = output.orElse(Path.of(planName + ".yaml"));
        if (Files.exists(file)) {
            throw new Problem(ExitCode.USAGE, ui.say("init.exists", file), Optional.of(ui.say("init.exists.next")));
        }
        String accountNames = answer(ui, providers, "init.provider", known);
        String model = answer(ui, gpu, "init.gpu");
        String most = answer(ui, cap, "init.cap");
        String code = answer(ui, currency, "init.currency");
        try {
            Answers answers = new Answers(
                    planName,
                    model,
                    Arrays.stream(accountNames.split(","))
                            .map(String::strip)
                            .filter(s -> !s.isEmpty())
                            .toList(),
                    new BigDecimal(most.strip()),
                    CurrencyUnit.of(code.strip()),
                    multi);
            Files.writeString(
                    file,
                    PlanTemplate.write(answers, ui.locale()),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE_NEW);
        } catch (NumberFormatException e) {
            throw new Problem(ExitCode.USAGE, ui.say("init.bad", most));
        } catch (IllegalArgumentException e) {
            throw new Problem(ExitCode.USAGE, ui.say("init.bad", e.getMessage()));
        } catch (IOException e) {
            throw new Problem(ExitCode.USAGE, file + ": " + e.getMessage());
        }
        // What was written must be a plan that can be read; a wrong GPU is told here, with its place.
        readable(file, settings, ui);
        ui.out(ui.say("init.written", file, command("check " + file)));
        OwnerAccess.done(ui, "plan", file.toString());
        return ExitCode.OK;
    }

    private static void readable(Path file, Settings settings, Ui ui) throws Problem {
        try {
            SettingsAccess.plan(file, settings, ui.locale());
        } catch (Problem p) {
            try {
                // Left behind, it would stand in the way of the corrected answers.
                Files.deleteIfExists(file);
            } catch (IOException e) {
                p.addSuppressed(e);
            }
            throw p;
        }
    }

    private static String answer(Ui ui, Optional<String> given, String question, Object... args) throws Problem {
        if (given.isPresent()) {
            return given.get();
        }
        Console console = System.console();
        if (console == null) {
            throw new Problem(ExitCode.USAGE, ui.say("init.console"));
        }
        String line = console.readLine("%s: ", ui.say(question, args));
        if (line == null || line.isBlank()) {
            throw new Problem(ExitCode.USAGE, ui.say("init.console"));
        }
        return line.strip();
    }
}
