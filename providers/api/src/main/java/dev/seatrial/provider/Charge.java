package dev.seatrial.provider;

import org.joda.money.BigMoney;

/**
 * What the vendor says an instance has cost.
 *
 * @param amount billed so far
 * @param complete whether the vendor is done billing it
 */
public record Charge(BigMoney amount, boolean complete) {}
