package dev.seatrial.app;

import dev.seatrial.app.cli.Seatrial;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Entry point. The command line runs plainly; only what needs HTTP starts Quarkus. */
@QuarkusMain
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Logs.quiet();
        // Not by returning: threads of libraries must not keep a finished command alive.
        System.exit(Seatrial.execute(args));
    }
}
