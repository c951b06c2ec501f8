package dev.seatrial.domain.ledger;

import dev.seatrial.domain.money.SpendLimit;
import java.time.Instant;
import java.util.Optional;
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

    /**
     * Does not fit a limit over all evaluations.
     *
     * @param limit which one
     * @param left what is left of it, in its currency; not negative
     * @param needed what this lease may cost in that window at most; for a balance, its whole reservation
     * @param resets when the window ends in which it does not fit; empty for a balance
     */
    record Limited(SpendLimit limit, BigMoney left, BigMoney needed, Optional<Instant> resets) implements Grant {}

    /** No lease is granted at all, until spending is resumed. */
    record Stopped(SpendingStop stop) implements Grant {}

    /**
     * Whether it fits a limit cannot be told, so it is not granted.
     *
     * @param limit which one
     * @param why one sentence
     */
    record Untold(SpendLimit limit, String why) implements Grant {}
}
