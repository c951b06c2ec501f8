package dev.seatrial.app.cli;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is wrong with a command line, in the user's language; the parser itself knows English only. */
final class UsageWords {
    private UsageWords() {}

    static String of(Ui ui, ParameterException e) {
        if (e instanceof MissingParameterException missing) {
            return ui.say(
                    "usage.missing",
                    missing.getMissing().stream().map(UsageWords::name).collect(Collectors.joining(", ")));
        }
        if (e instanceof UnmatchedArgumentException unmatched) {
            List<String> near = unmatched.getSuggestions();
            String words = String.join(" ", unmatched.getUnmatched());
            return near.isEmpty()
                    ? ui.say("usage.unknown", words)
                    : ui.say("usage.unknown.near", words, String.join(", ", near));
        }
        ArgSpec argument = e.getArgSpec();
        return argument == null
                ? String.valueOf(e.getMessage())
                : ui.say("usage.invalid", name(argument), String.valueOf(e.getValue()));
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
