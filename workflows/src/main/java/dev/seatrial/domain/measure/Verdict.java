package dev.seatrial.domain.measure;

/** Judgement of a metric, a stage or a trial. */
public enum Verdict {
    PASS,
    WARN,
    FAIL,
    /** Could not tell; never counts as a pass. */
    UNKNOWN,
    SKIPPED;

    /** The one that decides when two are joined: FAIL, then UNKNOWN, then WARN, then PASS, then SKIPPED. */
    public Verdict worse(Verdict other) {
        return rank() >= other.rank() ? this : other;
    }

    private int rank() {
        return switch (this) {
            case FAIL -> 4;
            case UNKNOWN -> 3;
            case WARN -> 2;
            case PASS -> 1;
            case SKIPPED -> 0;
        };
    }
}
