package dev.seatrial.app;

import dev.seatrial.app.cli.Seatrial;
import io.quarkus.runtime.annotations.QuarkusMain;
import org.slf4j.LoggerFactory;

/** Entry point. The command line runs plainly; only what needs HTTP starts Quarkus. */
@QuarkusMain
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Logs.quiet();
        // A library's thread that dies is for the log, not for the user's terminal.
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> LoggerFactory.getLogger(Main.class).error("thread {} died", thread.getName(), e));
        // Not by returning: threads of libraries must not keep a finished command alive.
        System.exit(Seatrial.execute(args));
    }
}
