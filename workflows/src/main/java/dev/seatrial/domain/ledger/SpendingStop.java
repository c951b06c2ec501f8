package dev.seatrial.domain.ledger;

import java.time.Instant;

/**
 * Spending was stopped as a whole: no new lease until somebody resumes it.
 *
 * @param at since when
 * @param who who stopped it
 */
public record SpendingStop(Instant at, String who) {}
