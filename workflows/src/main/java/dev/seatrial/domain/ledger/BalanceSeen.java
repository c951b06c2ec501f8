package dev.seatrial.domain.ledger;

import java.time.Instant;
import org.joda.money.BigMoney;

/**
 * A prepaid balance as the vendor told it.
 *
 * @param amount what is left, in the account's currency
 * @param askedAt when it was asked for; it shows nothing newer
 */
public record BalanceSeen(BigMoney amount, Instant askedAt) {}
