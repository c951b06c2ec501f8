package dev.seatrial.domain.ledger;

/** The ledger could not do what was asked: locked, broken, full, unreachable. Nothing was changed. */
public final class LedgerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LedgerException(String message, @org.jspecify.annotations.Nullable Throwable cause) {
        super(message, cause);
    }
}
