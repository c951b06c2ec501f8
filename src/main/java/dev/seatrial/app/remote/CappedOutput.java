package dev.seatrial.app.remote;

import java.io.IOException;
import java.io.OutputStream;

/** Passes on so many bytes and drops the rest, remembering that there was one. */
final class CappedOutput extends OutputStream {
    private final OutputStream to;
    private final Runnable onFull;
    private long left;
    private volatile boolean cut;

    /** @param onFull called once, from the writing thread, when bytes had to be dropped */
    CappedOutput(OutputStream to, long cap, Runnable onFull) {
        this.to = to;
        this.left = cap;
        this.onFull = onFull;
    }

    boolean cut() {
        return cut;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        int passed = (int) Math.min(length, left);
        to.write(bytes, from, passed);
        left -= passed;
        if (passed < length && !cut) {
            cut = true;
            onFull.run();
        }
    }

    /** Leaves what it passes on to open: the caller owns it. */
    @Override
    public void close() throws IOException {
        to.flush();
    }

    @Override
    public void flush() throws IOException {
        to.flush();
    }
}
