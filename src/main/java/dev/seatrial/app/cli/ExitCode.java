package dev.seatrial.app.cli;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Verdict;
import java.util.List;

/** What the process returns. The highest in the order of {@link #of} applies. */
public final class ExitCode {
    public static final int OK = 0;
    /** A candidate FAILed, or nothing could be told. */
    public static final int FAILED = 1;
    /** Usage or plan. */
    public static final int USAGE = 2;
    /** Stopped by a cap. */
    public static final int CAP = 3;
    /** No candidate could be rented. */
    public static final int NOTHING_RENTED = 4;
    /** A lease is not proven released. */
    public static final int NOT_RELEASED = 5;

    public static final int INTERNAL = 70;
    public static final int CANCELLED = 130;

    private ExitCode() {}

    /**
     * The code of an evaluation, read from the ledger alone by the process that owns it. Whatever may bill comes first, also
     * when an earlier evaluation left it.
     */
    static int of(Ledger ledger, EvaluationRow evaluation) {
        if (maybeBilling(ledger)) {
            return NOT_RELEASED;
        }
        List<TrialRow> trials = ledger.trials(evaluation.id());
        return switch (evaluation.status()) {
            case FAILED -> INTERNAL;
            case CANCELLED -> CANCELLED;
            case STOPPED_BY_BUDGET -> CAP;
            case NOTHING_RENTED -> NOTHING_RENTED;
            case COMPLETED -> ofVerdicts(trials);
            case RUNNING, AWAITING_APPROVAL, INTERRUPTED -> FAILED;
        };
    }

    /** Whether a rented instance of any evaluation is not proven gone. */
    static boolean maybeBilling(Ledger ledger) {
        return ledger.openLeases().stream()
                .anyMatch(l -> !l.borrowed() && l.state().maybeBilling());
    }

    private static int ofVerdicts(List<TrialRow> trials) {
        boolean failed = trials.stream().anyMatch(t -> t.verdict().orElse(Verdict.UNKNOWN) == Verdict.FAIL);
        boolean told = trials.stream()
                .map(t -> t.verdict().orElse(Verdict.UNKNOWN))
                .anyMatch(v -> v == Verdict.PASS || v == Verdict.WARN);
        return failed || !told ? FAILED : OK;
    }
}
