package dev.seatrial.domain.ledger;

import org.joda.money.BigMoney;

/** The ledger's answer to a request for money. */
public sealed interface Grant {
    /** Granted; the lease is INTENDED. The same answer for every repeat of the request. */
    record Granted(LeaseRow lease) implements Grant {}

    /**
     * Does not fit a cap.
     *
     * @param cap which one: {@code candidate}, {@code evaluation}
     * @param missing how much is missing, in the plan's currency
     */
    record Refused(String cap, BigMoney missing) implements Grant {}

    /** Would fit, but money is still kept for single phases that are not over. Ask again then. */
    record Later(BigMoney keptForSingles) implements Grant {}
}
