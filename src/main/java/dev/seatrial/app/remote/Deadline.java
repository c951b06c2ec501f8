package dev.seatrial.app.remote;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.client.session.ClientSession;

/** Ends something that has no time limit of its own. */
final class Deadline implements AutoCloseable {
    private final ScheduledFuture<?> pending;
    private volatile boolean passed;

    private Deadline(ClientSession session, Duration limit, Runnable end) {
        pending = session.getFactoryManager()
                .getScheduledExecutorService()
                .schedule(
                        () -> {
                            passed = true;
                            end.run();
                        },
                        limit.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** @param end run on the session's timer thread when the limit has passed; must not block */
    static Deadline after(ClientSession session, Duration limit, Runnable end) {
        return new Deadline(session, limit, end);
    }

    boolean passed() {
        return passed;
    }

    @Override
    public void close() {
        pending.cancel(false);
    }
}
