package dev.seatrial.domain.plan;

import dev.seatrial.provider.BillingIncrement;
import java.time.Duration;
import org.joda.money.BigMoney;

/**
 * A price that the user states for a machine without a price list.
 *
 * @param hourly whole machine for one hour
 * @param increment billing step
 * @param minimum least billed time
 */
public record StatedPrice(BigMoney hourly, BillingIncrement increment, Duration minimum) {}
