package dev.seatrial.domain.ledger;

import org.joda.money.BigMoney;

/**
 * Money of an evaluation or of one candidate, in the plan's currency.
 *
 * @param spent cost of closed leases, overrun not included
 * @param reserved money of open leases
 * @param overrun billed beyond vendors' own rules
 */
public record Spend(BigMoney spent, BigMoney reserved, BigMoney overrun) {}
