package dev.seatrial.app.bench;

import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import java.util.List;

/**
 * Everything a judgement of one stage rests on.
 *
 * @param plan the plan
 * @param candidate the candidate
 * @param run the run, with how it ended ({@code ok}, {@code failed}, {@code timed-out}, {@code stopped}, {@code lost})
 * @param events the machine's event lines, hostile text
 * @param past figures of earlier evaluations for the same card
 */
public record StageEvidence(
        Plan plan, Candidate candidate, StageRunRow run, List<StoredEvent> events, List<Past> past) {
    public StageEvidence {
        events = List.copyOf(events);
        past = List.copyOf(past);
    }

    /** Without experience; see {@link LedgerHistory#with}. */
    public StageEvidence(Plan plan, Candidate candidate, StageRunRow run, List<StoredEvent> events) {
        this(plan, candidate, run, events, List.of());
    }
}
