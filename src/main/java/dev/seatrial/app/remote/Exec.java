package dev.seatrial.app.remote;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A shell command to run.
 *
 * @param command command line for the login shell
 * @param stdin what it reads; the caller closes it
 * @param sink where its standard output goes; empty = into the result
 * @param cap most bytes of standard output; beyond it the command is cut off
 * @param timeout most time it may take
 */
public record Exec(
        String command, Optional<InputStream> stdin, Optional<OutputStream> sink, long cap, Duration timeout) {
    private static final long DEFAULT_CAP = 512 << 10;

    /** A command without input whose output (at most 512 KiB) is wanted. */
    public static Exec of(String command, Duration timeout) {
        return new Exec(command, Optional.empty(), Optional.empty(), DEFAULT_CAP, timeout);
    }

    public Exec reading(InputStream in) {
        return new Exec(command, Optional.of(in), sink, cap, timeout);
    }

    public Exec reading(String text) {
        return reading(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    public Exec into(OutputStream out, long most) {
        return new Exec(command, stdin, Optional.of(out), most, timeout);
    }

    /**
     * How a command ended.
     *
     * @param status exit status; -1 when it was killed or cut off
     * @param out standard output, unless it went elsewhere
     * @param err first 16 KiB of standard error
     * @param cut whether output was beyond the cap
     */
    public record Result(int status, byte[] out, String err, boolean cut) {
        public boolean ok() {
            return status == 0 && !cut;
        }

        /** Standard output as text; bytes that are no UTF-8 become replacement characters. */
        public String text() {
            return new String(out, StandardCharsets.UTF_8);
        }
    }
}
