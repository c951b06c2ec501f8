package dev.seatrial.vendors.aliyun;

import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.ProviderException;

/**
 * What an offer's id says: an instance type in a zone of a region.
 *
 * @param region e.g. {@code cn-beijing}
 * @param zone e.g. {@code cn-beijing-h}
 * @param type e.g. {@code ecs.gn7e-c16g1.4xlarge}
 */
record AliyunOffer(String region, String zone, String type) {
    private static final String PART = "[a-z0-9.-]{1,80}";

    OfferId id() {
        return new OfferId(region + "/" + zone + "/" + type);
    }

    /** @throws ProviderException {@link ErrorKind#INVALID_ARGUMENT} when it is no offer of this vendor */
    static AliyunOffer parse(OfferId id) {
        String[] parts = id.value().split("/", -1);
        if (parts.length != 3 || !(parts[0].matches(PART) && parts[1].matches(PART) && parts[2].matches(PART))) {
            throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "no offer of Alibaba Cloud: " + id);
        }
        return new AliyunOffer(parts[0], parts[1], parts[2]);
    }
}
