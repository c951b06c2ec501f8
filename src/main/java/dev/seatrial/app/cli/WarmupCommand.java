package dev.seatrial.app.cli;

import dev.seatrial.app.Warmup;
import picocli.CommandLine.Command;

/** Loads what an evaluation loads, once, so that the build can keep it in a class-data archive. */
@Command(name = "warm-up", hidden = true)
final class WarmupCommand extends Base {
    @Override
    int run(Ui ui) {
        Warmup.run();
        return ExitCode.OK;
    }
}
