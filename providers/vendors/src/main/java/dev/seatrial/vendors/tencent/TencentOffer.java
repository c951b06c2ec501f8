package dev.seatrial.vendors.tencent;

import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.ProviderException;

/**
 * What an offer's id says: an instance type in a zone of a region.
 *
 * @param region e.g. {@code ap-guangzhou}
 * @param zone e.g. {@code ap-guangzhou-6}
 * @param type e.g. {@code GT4.4XLARGE96}
 */
record TencentOffer(String region, String zone, String type) {
    private static final String PART = "[A-Za-z0-9._-]{1,80}";

    OfferId id() {
        return new OfferId(region + "/" + zone + "/" + type);
    }

    /** @throws ProviderException {@link ErrorKind#INVALID_ARGUMENT} when it is no offer of this vendor */
    static TencentOffer parse(OfferId id) {
        String[] parts = id.value().split("/", -1);
        if (parts.length != 3 || !(parts[0].matches(PART) && parts[1].matches(PART) && parts[2].matches(PART))) {
            throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "no offer of Tencent Cloud: " + id);
        }
        return new TencentOffer(parts[0], parts[1], parts[2]);
    }
}
