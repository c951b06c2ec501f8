package dev.seatrial.provider;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Which offers are wanted. Empty parts match everything.
 *
 * @param gpu normalised GPU model
 * @param gpuCount exact number of GPUs of one instance
 * @param region the vendor's region name
 */
public record OfferQuery(Optional<String> gpu, OptionalInt gpuCount, Optional<String> region) {
    public static final OfferQuery ALL = new OfferQuery(Optional.empty(), OptionalInt.empty(), Optional.empty());

    /** Whether an offer is among those asked for. */
    public boolean matches(Offer offer) {
        return gpu.map(g -> g.equalsIgnoreCase(offer.gpu())).orElse(true)
                && (gpuCount.isEmpty() || gpuCount.getAsInt() == offer.gpuCount())
                && region.map(r -> r.equals(offer.region())).orElse(true);
    }
}
