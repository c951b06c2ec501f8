package dev.seatrial.domain.ledger;

import org.jspecify.annotations.Nullable;

/** The ledger could not do what was asked. Nothing was changed. The message is plain and names the file or host. */
public final class LedgerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    public LedgerException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public LedgerException(Kind kind, String message) {
        this(kind, message, null);
    }

    public Kind kind() {
        return kind;
    }

    /** What is the matter, so that a caller can go on without the ledger or a screen can say it in another language. */
    public enum Kind {
        /** Somebody else is writing and did not finish in time; asking again may help. */
        LOCKED,
        /** It is damaged, or not a ledger at all. It is left as it is. */
        BROKEN,
        /** File or directory may not be written, or this ledger was opened for reading only. */
        READ_ONLY,
        /** No space left. */
        FULL,
        /** Written by a newer version of the program. */
        NEWER,
        /** Written by an older version, and opened for reading only. */
        OLDER,
        /** It cannot be reached, or the disk fails. */
        UNREACHABLE,
        /** What was asked contradicts what is recorded, e.g. an unknown lease or another currency. */
        INVALID
    }
}
