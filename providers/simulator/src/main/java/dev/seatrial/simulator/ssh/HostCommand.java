package dev.seatrial.simulator.ssh;

import dev.seatrial.simulator.cloud.Cloud;
import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.FaultRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.apache.sshd.common.util.threads.CloseableExecutorService;
import org.apache.sshd.server.command.AbstractCommandSupport;

/** One command on one machine, with whatever goes wrong on the way. */
final class HostCommand extends AbstractCommandSupport {
    private static final String CHATTER = "*** Welcome to a simulated machine ***\n";

    private final String line;
    private final Optional<Machine> machine;
    private final Cloud cloud;
    private final FaultBook faults;

    HostCommand(
            String line, Optional<Machine> machine, Cloud cloud, FaultBook faults, CloseableExecutorService threads) {
        super(line, threads);
        this.line = line;
        this.machine = machine;
        this.cloud = cloud;
        this.faults = faults;
    }

    @Override
    public void run() {
        if (machine.isEmpty()) {
            getServerSession().close(true);
            return;
        }
        FaultBook.Meeting meeting =
                faults.meet(FaultRule.Operation.SSH, machine.get().subject() + " " + line);
        pause(meeting.delay());
        try {
            if (cloud.up(machine.get().instance())) {
                answer(machine.get(), meeting);
            } else {
                getServerSession().close(true);
            }
        } catch (IOException e) {
            // The client hung up in the middle: there is nobody to tell.
            onExit(1);
        }
    }

    private void answer(Machine host, FaultBook.Meeting meeting) throws IOException {
        if (meeting.change(FaultRule.Action.NOISE).isPresent()) {
            getOutputStream().write(CHATTER.getBytes(StandardCharsets.UTF_8));
        }
        Optional<FaultRule> spoiler = meeting.spoiler();
        boolean run = spoiler.isEmpty() || spoiler.get().effect() == FaultRule.Effect.BEFORE;
        VirtualShell.Streams streams = new VirtualShell.Streams(getInputStream(), getOutputStream(), getErrorStream());
        int status = run ? host.shell().run(line, streams) : 0;
        if (spoiler.isEmpty()) {
            finish(status);
        } else if (spoiler.get().action() == FaultRule.Action.DROP) {
            getServerSession().close(true);
        } else {
            streams.complain(spoiler.get().message());
            finish(spoiler.get().status());
        }
    }

    private void finish(int status) throws IOException {
        getOutputStream().flush();
        getErrorStream().flush();
        onExit(status);
    }

    /** Real time. */
    static void pause(Duration delay) {
        try {
            Thread.sleep(delay.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
