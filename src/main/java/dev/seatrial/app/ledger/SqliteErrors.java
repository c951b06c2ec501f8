package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.LedgerException.Kind;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/** Says in plain words what SQLite means by its result codes. */
final class SqliteErrors {
    private SqliteErrors() {}

    /** @param failure an exception that has an {@link SQLException} somewhere among its causes, or not */
    static LedgerException explain(Path file, Throwable failure) {
        if (failure instanceof LedgerException known) {
            return known;
        }
        SQLException sql = sqlCause(failure);
        if (sql == null) {
            return new LedgerException(
                    Kind.UNREACHABLE, "the ledger " + file + " could not be used: " + failure.getMessage(), failure);
        }
        // Extended codes carry the primary one in their low byte.
        SQLiteErrorCode code = SQLiteErrorCode.getErrorCode(sql.getErrorCode() & 0xff);
        Kind kind = kind(code);
        String words =
                switch (kind) {
                    case LOCKED ->
                        "the ledger " + file + " is locked: another process is writing and did not end in time";
                    case BROKEN ->
                        code == SQLiteErrorCode.SQLITE_NOTADB
                                ? file + " is not a ledger: it is no SQLite database. It was left as it is"
                                : "the ledger " + file
                                        + " is damaged. It was left as it is; restore a copy, or move it away"
                                        + " together with its -wal file. 'seatrial sweep' works without it";
                    case READ_ONLY ->
                        "the ledger " + file + " cannot be written: check the permissions of the file and"
                                + " of its directory";
                    case FULL -> "no space left for the ledger " + file + "; nothing was changed";
                    case INVALID -> "the ledger refused a contradiction";
                    case UNREACHABLE, NEWER, OLDER -> "the ledger " + file + " could not be used";
                };
        return new LedgerException(kind, words + " (" + oneLine(sql.getMessage()) + ")", failure);
    }

    private static Kind kind(SQLiteErrorCode code) {
        return switch (code) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> Kind.LOCKED;
            case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FORMAT -> Kind.BROKEN;
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH -> Kind.READ_ONLY;
            case SQLITE_FULL -> Kind.FULL;
            case SQLITE_CONSTRAINT -> Kind.INVALID;
            default -> Kind.UNREACHABLE;
        };
    }

    private static @Nullable SQLException sqlCause(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            // A pool wraps the driver's exception in one without a code.
            if (t instanceof SQLException sql && (sql.getErrorCode() != 0 || t.getCause() == null)) {
                return sql;
            }
        }
        return null;
    }

    private static String oneLine(@Nullable String words) {
        return words == null ? "no words" : words.replaceAll("\\s+", " ");
    }
}
