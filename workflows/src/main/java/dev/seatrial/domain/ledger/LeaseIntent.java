package dev.seatrial.domain.ledger;

import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.provider.Offer;
import org.joda.money.BigMoney;

/**
 * A request for money, before anything is sent.
 *
 * @param key identity
 * @param offer what is to be rented
 * @param gpus GPUs that the phase uses of it
 * @param timing deadline and what must be reserved, in the offer's currency
 * @param reservedInPlan the same amount in the plan's currency, rounded up
 * @param fxRate plan currency per unit of the offer's currency, as text; {@code 1} when they are the same
 * @param borrowed whether the machine was handed over rather than rented
 */
public record LeaseIntent(
        LeaseKey key,
        Offer offer,
        int gpus,
        LeaseTiming timing,
        BigMoney reservedInPlan,
        String fxRate,
        boolean borrowed) {}
