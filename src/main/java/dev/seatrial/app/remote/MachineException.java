package dev.seatrial.app.remote;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A machine could not be used. Says nothing about its GPUs (law 7). The message is one line, without secrets. */
public final class MachineException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    public MachineException(Kind kind, String message) {
        this(kind, message, null);
    }

    public MachineException(Kind kind, String message, @Nullable Throwable cause) {
        super(Text.line(message, 500), cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** The message; never null. */
    public String words() {
        return String.valueOf(getMessage());
    }

    /** What went wrong. */
    public enum Kind {
        /** No connection, or it broke. Trying again is right. */
        UNREACHABLE,
        /** It let us connect but not log in. */
        AUTH,
        /** The host key is not the expected one: perhaps another machine. */
        HOST_KEY,
        /** A command or transfer took longer than it may. */
        TIMEOUT,
        /** It answers, but not as agreed. */
        PROTOCOL,
        /** It cannot serve: no Python, no folder to write to. */
        UNUSABLE,
        /** Something on our side: a key file that cannot be read, a local file that is gone. */
        LOCAL;

        /** Whether the same call may succeed without anyone acting. */
        public boolean passing() {
            return this == UNREACHABLE || this == TIMEOUT;
        }
    }
}
