package dev.seatrial.domain.ledger;

import org.joda.money.BigMoney;

/** The ledger's answer to a request for money. */
public sealed interface Grant {
    /** Granted; the lease is INTENDED. The same answer for every repeat of the request. */
    record Granted(LeaseRow lease) implements Grant {}

    /**
     * Does not fit a cap.
     *
     * @param cap which one: {@code candidate}, {@code evaluation}; or why there is no new lease whatever it costs:
     *     {@code overrun} (the vendor bills beyond its own rules), {@code ended} (the evaluation has)
     * @param missing with the cap raised by this much the same request would be granted, in the plan's currency; for
     *     {@code overrun} what is overrun so far; zero for {@code ended}
     */
    record Refused(String cap, BigMoney missing) implements Grant {}

    /**
     * May fit once other candidates' single phases are over. Ask again then.
     *
     * @param keptForSingles what is earmarked for or reserved by them now
     */
    record Later(BigMoney keptForSingles) implements Grant {}
}
