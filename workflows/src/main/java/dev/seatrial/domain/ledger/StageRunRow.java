package dev.seatrial.domain.ledger;

import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.time.Instant;
import java.util.Optional;

/**
 * A stage started on a machine.
 *
 * @param id {@code [a-z0-9-]}, at most 64; also the id on the machine
 * @param evaluation evaluation id
 * @param candidate candidate name
 * @param phase phase
 * @param gpus GPUs of this rung
 * @param stage stage
 * @param lease lease it runs on
 * @param attempt 1, or 2 for a repeat on the same lease
 * @param state {@code started}, {@code ended}, {@code judged}
 * @param offset bytes of the machine's event file already stored
 * @param progress 0 to 1, as last reported
 * @param progressText as last reported, capped; may be empty
 * @param startedAt start
 * @param endedAt end on the machine
 * @param end {@code ok}, {@code failed}, {@code timed-out}, {@code stopped}, {@code lost}; empty while running
 */
public record StageRunRow(
        String id,
        String evaluation,
        String candidate,
        Phase phase,
        int gpus,
        StageName stage,
        String lease,
        int attempt,
        String state,
        long offset,
        double progress,
        String progressText,
        Instant startedAt,
        Optional<Instant> endedAt,
        String end) {}
