package dev.seatrial.domain.ledger;

import java.time.Instant;
import java.util.Optional;

/**
 * One evaluation.
 *
 * @param id {@code [a-z0-9]}, 10 characters
 * @param planName plan's name
 * @param planHash plan's hash
 * @param planJson the normalised plan, so that resume needs no file
 * @param status where it stands
 * @param simulated whether every candidate is simulated
 * @param owner id of the process that runs it: {@code embedded:<owner id>} or {@code external:<namespace>}
 * @param startedAt start
 * @param endedAt end
 * @param note why it ended so, one sentence; may be empty
 */
public record EvaluationRow(
        String id,
        String planName,
        String planHash,
        String planJson,
        EvaluationStatus status,
        boolean simulated,
        String owner,
        Instant startedAt,
        Optional<Instant> endedAt,
        String note) {}
