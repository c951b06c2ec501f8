package dev.seatrial.domain.ledger;

import java.time.Instant;

/**
 * Who did what that spends or stops spending.
 *
 * @param at when
 * @param who user or process
 * @param what short word: {@code start}, {@code approve}, {@code raise-cap}, {@code cancel}, {@code release}, …
 * @param subject id of what it was done to
 */
public record AuditRow(Instant at, String who, String what, String subject) {}
