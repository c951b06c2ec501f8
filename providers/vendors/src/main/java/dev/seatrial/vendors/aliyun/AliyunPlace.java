package dev.seatrial.vendors.aliyun;

import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.ProviderException;
import java.util.List;
import java.util.Optional;

/**
 * Where something is.
 *
 * @param region empty when its id does not say
 * @param vendorId as the vendor knows it
 */
record AliyunPlace(Optional<String> region, String vendorId) {
    static AliyunPlace of(InstanceId id) {
        int slash = id.value().indexOf('/');
        String vendorId = id.value().substring(slash + 1);
        if (!vendorId.matches("[A-Za-z0-9_.-]{1,128}")) {
            throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "no id of Alibaba Cloud: " + id);
        }
        return new AliyunPlace(
                slash < 0 ? Optional.empty() : Optional.of(known(id.value().substring(0, slash))), vendorId);
    }

    List<String> regions(AliyunSettings settings) {
        return region.map(List::of).orElse(settings.regions());
    }

    /** The same, if a region may be called so. */
    static String known(String region) {
        if (!AliyunSettings.isRegion(region)) {
            throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "no region of Alibaba Cloud: " + region);
        }
        return region;
    }
}
