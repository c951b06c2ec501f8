package dev.seatrial.provider;

/**
 * Something a vendor rents.
 *
 * @param id opaque reference for {@link CreateRequest}
 * @param provider whose it is
 * @param region the vendor's name of the place; "-" where there is none
 * @param gpu normalised GPU model of the catalogue (e.g. {@code A100-SXM4-80G}), or the vendor's words when unknown
 * @param vendorGpu the vendor's own words for the GPU
 * @param gpuCount GPUs of one instance, 0 or more
 * @param pricing price of the whole instance
 * @param refundRule what is refunded when released early, in plain words
 * @param billsWhenStopped what goes on being billed while stopped, in plain words
 * @param availability advisory stock
 */
public record Offer(
        OfferId id,
        ProviderId provider,
        String region,
        String gpu,
        String vendorGpu,
        int gpuCount,
        Pricing pricing,
        String refundRule,
        String billsWhenStopped,
        Availability availability) {
    public Offer {
        if (gpuCount < 0) {
            throw new IllegalArgumentException("gpuCount must be 0 or more");
        }
    }
}
