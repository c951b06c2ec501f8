package dev.seatrial.app.remote;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/**
 * A machine on which commands run. Connects when first used and again after a drop; a call that was under way when the
 * connection broke fails and is not repeated. Thread-safe.
 */
public interface Machine extends AutoCloseable {
    /** Runs a command to its end. A status other than 0 is a result, not an exception. */
    Exec.Result exec(Exec exec) throws MachineException;

    /** Writes a file, readable by its owner only; replaces one that is there. The caller closes {@code content}. */
    void upload(InputStream content, String path, Duration timeout) throws MachineException;

    /**
     * Reads a file.
     *
     * @param sink may stop the transfer by throwing {@link Stop}
     * @param cap most bytes read
     */
    void download(String path, OutputStream sink, long cap, Duration timeout) throws MachineException;

    /** Whether transfers go over a network. */
    boolean remote();

    /** Ends the connection; detached runs on the machine go on. */
    @Override
    void close();

    /** Thrown by a sink that has enough. */
    final class Stop extends java.io.IOException {
        private static final long serialVersionUID = 1L;
    }
}
