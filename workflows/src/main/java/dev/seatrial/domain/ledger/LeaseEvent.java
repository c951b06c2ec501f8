package dev.seatrial.domain.ledger;

import java.time.Instant;

/**
 * One line of a lease's append-only story.
 *
 * @param lease lease id
 * @param seq order within the lease, from 1
 * @param at when
 * @param type short word: a state name in lower case, or one of the constants here
 * @param detail one line, redacted, at most 2,000 characters
 */
public record LeaseEvent(String lease, long seq, Instant at, String type, String detail) {
    /** One complete look at the account that showed nothing. */
    public static final String ABSENT = "absent-seen";
    /** It was shown again after it had been absent. */
    public static final String PRESENT = "present-seen";
    /** Told by the ledger when the lease got its instance: what was not seen before that proves nothing about it. */
    public static final String CREATED = "provisioning";
    /** An instance came after its lease had been given up; the detail is its id alone. */
    public static final String CREATED_LATE = "created-late";
    /** A further instance under the lease's name; the detail is its id alone. */
    public static final String DUPLICATE = "duplicate";
    /** A price above the quote; the detail is that price for one hour alone. */
    public static final String DEARER = "price-above-quote";
    /** A release was sent; the detail is the instance's id alone. */
    public static final String ASKED = "release-sent";
    /** A release was not accepted; the detail is the vendor's words. */
    public static final String REFUSED = "release-refused";
    /** The vendor bills another amount than time and price make; the detail is both, parted by {@link #AGAINST}. */
    public static final String COST_DIFFERS = "cost-differs";

    public static final String AGAINST = " against ";
    /** Somebody has confirmed that a borrowed machine is back with its owner. */
    public static final String RETURN_CONFIRMED = "return-confirmed";
}
