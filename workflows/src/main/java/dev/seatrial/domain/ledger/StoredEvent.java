package dev.seatrial.domain.ledger;

/**
 * One event line of a stage, as the machine wrote it.
 *
 * @param seq the machine's sequence number; repeats of a number are ignored
 * @param json the line, at most 64 KiB
 */
public record StoredEvent(long seq, String json) {
    /** Longest line kept, in characters. */
    public static final int MAX_LINE = 65_536;
}
