package dev.seatrial.provider;

import java.time.Duration;
import org.joda.money.BigMoney;

/**
 * How an offer is billed.
 *
 * @param hourly price of the whole instance for one hour, not negative
 * @param increment step to which billed time is rounded up
 * @param minimumBilling least time billed once an instance exists, not negative
 * @param storageHourly price of the storage we ask for, for one hour, same currency; zero when included
 */
public record Pricing(BigMoney hourly, BillingIncrement increment, Duration minimumBilling, BigMoney storageHourly) {
    public Pricing {
        if (hourly.isNegative() || storageHourly.isNegative() || minimumBilling.isNegative()) {
            throw new IllegalArgumentException("prices and minimum billing must not be negative");
        }
        if (!hourly.getCurrencyUnit().equals(storageHourly.getCurrencyUnit())) {
            throw new IllegalArgumentException("storage is priced in another currency than the instance");
        }
    }

    /** A price with nothing else to pay for. */
    public static Pricing of(BigMoney hourly, BillingIncrement increment, Duration minimumBilling) {
        return new Pricing(hourly, increment, minimumBilling, BigMoney.zero(hourly.getCurrencyUnit()));
    }

    /** Everything that runs while the instance exists, for one hour. */
    public BigMoney totalHourly() {
        return hourly.plus(storageHourly);
    }
}
