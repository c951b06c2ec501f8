package dev.seatrial.app.remote;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Times a stream of random bytes to and from a machine: the path that the user's own files will take. */
final class Transfer {
    private static final Duration SETTLE = Duration.ofSeconds(20);
    private static final long WINDOW_NANOS = 500_000_000L;

    private Transfer() {}

    /**
     * One direction.
     *
     * @param bytes bytes moved
     * @param seconds from the first byte to the last one confirmed
     * @param samples MB/s of each half second
     */
    record Rate(long bytes, double seconds, List<Double> samples) {
        /** 10^6 bytes a second. */
        double megabytesPerSecond() {
            return bytes / 1e6 / Math.max(seconds, 1e-3);
        }
    }

    /** Sends until the budget or the time is used up. */
    static Rate up(Machine machine, String path, long budget, Duration most) throws MachineException {
        Meter meter = new Meter(budget, most);
        machine.upload(new Noise(meter), path, most.plus(SETTLE));
        return meter.rate();
    }

    /** Reads the file that {@link #up} left, until its end, the budget or the time. */
    static Rate down(Machine machine, String path, long budget, Duration most) throws MachineException {
        Meter meter = new Meter(budget, most);
        machine.download(path, new Drain(meter), budget, most.plus(SETTLE));
        return meter.rate();
    }

    private static final class Meter {
        private final long budget;
        private final long mostNanos;
        private final List<Double> samples = new ArrayList<>();
        private long began;
        private long windowBegan;
        private long windowBytes;
        private long moved;

        Meter(long budget, Duration most) {
            this.budget = budget;
            this.mostNanos = most.toNanos();
        }

        synchronized long left() {
            long now = System.nanoTime();
            if (began == 0) {
                began = now;
                windowBegan = now;
            }
            return now - began >= mostNanos ? 0 : budget - moved;
        }

        synchronized void moved(int bytes) {
            long now = System.nanoTime();
            moved += bytes;
            windowBytes += bytes;
            if (now - windowBegan >= WINDOW_NANOS) {
                samples.add(windowBytes * 1e3 / (now - windowBegan));
                windowBegan = now;
                windowBytes = 0;
            }
        }

        synchronized Rate rate() {
            return new Rate(moved, (System.nanoTime() - began) / 1e9, List.copyOf(samples));
        }
    }

    /** Random, since a link or a disk may compress. */
    private static final class Noise extends InputStream {
        private final Meter meter;
        private final byte[] block = new byte[256 << 10];

        Noise(Meter meter) {
            this.meter = meter;
            new SplittableRandom(1).nextBytes(block);
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) {
            int n = (int) Math.min(Math.min(length, block.length), meter.left());
            if (n <= 0) {
                return -1;
            }
            System.arraycopy(block, 0, into, from, n);
            meter.moved(n);
            return n;
        }
    }

    private static final class Drain extends OutputStream {
        private final Meter meter;

        Drain(Meter meter) {
            this.meter = meter;
            meter.left();
        }

        @Override
        public void write(int b) throws Machine.Stop {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws Machine.Stop {
            meter.moved(length);
            if (meter.left() <= 0) {
                throw new Machine.Stop();
            }
        }
    }
}
