package dev.seatrial.workflow;

import dev.seatrial.provider.Offer;
import java.time.Duration;
import java.util.List;

/**
 * Offers that fit a candidate and phase, in order of preference.
 *
 * @param offers cheapest first; whole-machine offers (more GPUs than asked for) last
 * @param simulated whether the vendor is simulated
 * @param borrowed whether the machine was handed over
 * @param provisioning the vendor's usual time to ready
 * @param pollInterval least time between two looks at the account
 */
public record OfferChoice(
        List<Offer> offers, boolean simulated, boolean borrowed, Duration provisioning, Duration pollInterval) {
    public OfferChoice {
        offers = List.copyOf(offers);
    }
}
