package dev.seatrial.workflow;

import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * A higher cap, for leases that are asked for from now on.
 *
 * @param candidate whose own cap; empty for the evaluation's
 * @param cap the new cap, in the plan's currency
 * @param who who asked, for the audit
 */
public record CapRaise(Optional<String> candidate, BigMoney cap, String who) {}
