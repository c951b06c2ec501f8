package dev.seatrial.domain.ledger;

import java.time.Instant;

/**
 * One line of a lease's append-only story.
 *
 * @param lease lease id
 * @param seq order within the lease, from 1
 * @param at when
 * @param type short word: a state name in lower case, {@code create-sent}, {@code absent-seen}, {@code present-seen},
 *     {@code release-sent}, {@code release-refused}, {@code key}, …
 * @param detail one line, redacted, at most 2,000 characters
 */
public record LeaseEvent(String lease, long seq, Instant at, String type, String detail) {}
