package dev.seatrial.domain.plan;

import dev.seatrial.provider.ProviderId;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * One vendor account, region, GPU and image to be tried.
 *
 * @param name unique in the plan; the provider's name unless the plan says otherwise
 * @param provider configured vendor account
 * @param region the vendor's region name, or any
 * @param gpu normalised GPU model; {@code none} for machines tried without a GPU
 * @param image the vendor's image, or its default
 * @param cap most this candidate may spend, in the plan's currency
 * @param price stated price, for machines without a price list
 * @param promised what the vendor says this offer gives, as the user entered it (e.g. {@code disk_read: 3GB/s})
 * @param contract what is about to be signed
 */
public record Candidate(
        String name,
        ProviderId provider,
        Optional<String> region,
        String gpu,
        Optional<String> image,
        Optional<BigMoney> cap,
        Optional<StatedPrice> price,
        Map<String, String> promised,
        Optional<Contract> contract) {
    /** The word for a machine tried without a GPU. */
    public static final String NO_GPU = "none";

    public Candidate {
        promised = Map.copyOf(promised);
    }

    public boolean wantsGpu() {
        return !gpu.equals(NO_GPU);
    }
}
