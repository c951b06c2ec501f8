package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.seatrial.app.SimulatorRun;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the simulated cloud as its own process, until it is ended. */
@Command(name = "simulator", mixinStandardHelpOptions = true)
final class SimulatorCommand extends Base {
    @Option(names = "--port", defaultValue = "0", paramLabel = "N", descriptionKey = "port")
    int port;

    @Option(names = "--profile", defaultValue = "steady", paramLabel = "NAME|FILE", descriptionKey = "profile")
    String profile = "steady";

    @Override
    int run(Ui ui) throws Problem {
        if (port < 0 || port > 65535) {
            throw new Problem(ExitCode.USAGE, ui.say("simulator.port", port));
        }
        try (SimulatorRun simulator = SimulatorRun.start(port, profile)) {
            ui.out(ui.say("simulator.started", simulator.uri(), profile));
            ui.document(JsonNodeFactory.instance
                    .objectNode()
                    .put("url", simulator.uri().toString())
                    .put("profile", profile)
                    .put("simulated", true));
            new CountDownLatch(1).await();
            return ExitCode.OK;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.OK;
        } catch (IllegalArgumentException e) {
            throw new Problem(ExitCode.USAGE, String.valueOf(e.getMessage()));
        } catch (java.io.UncheckedIOException e) {
            throw new Problem(
                    ExitCode.USAGE,
                    ui.say("simulator.trouble", port, e.getCause().getMessage()));
        }
    }
}
