package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.aliyun.AliyunApi.Answer;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What of ours may outlive an instance in one region: keys; disks that were detached; addresses, of which we make none (a
 * public address that came with the instance goes with it). The parameters of DescribeDisks, DeleteDisk,
 * DescribeEipAddresses and ReleaseEipAddress are unverified.
 */
final class AliyunLeftovers {
    private static final String KEY = "ssh-key";
    private static final String DISK = "disk";
    private static final String ADDRESS = "address";

    private AliyunLeftovers() {}

    static List<DependentResource> of(AliyunApi api, String region) {
        List<DependentResource> ours = new ArrayList<>();
        for (JsonNode key : AliyunPages.numbered(
                api, Lane.SAFETY, "DescribeKeyPairs", Map.of("RegionId", region), 50, "KeyPairs", "KeyPair")) {
            AliyunMapper.key(key, region).ifPresent(ours::add);
        }
        for (JsonNode disk : AliyunPages.byToken(
                api,
                Lane.SAFETY,
                "DescribeDisks",
                Map.of("RegionId", region, "Status", "Available"),
                100,
                "Disks",
                "Disk")) {
            AliyunMapper.thing(disk, region, DISK, "DiskId", "DiskName").ifPresent(ours::add);
        }
        for (JsonNode address : AliyunPages.numbered(
                api,
                Lane.SAFETY,
                "DescribeEipAddresses",
                Map.of("RegionId", region, "Status", "Available"),
                50,
                "EipAddresses",
                "EipAddress")) {
            AliyunMapper.thing(address, region, ADDRESS, "AllocationId", "Name").ifPresent(ours::add);
        }
        return ours;
    }

    /** Deletes it; one that is gone already is success. */
    static void release(AliyunApi api, String region, String kind, String id) {
        try {
            Answer answer =
                    switch (kind) {
                        case KEY ->
                            api.post(
                                    Lane.SAFETY,
                                    "DeleteKeyPairs",
                                    Map.of("RegionId", region, "KeyPairNames", "[\"" + id + "\"]"));
                        case DISK -> api.post(Lane.SAFETY, "DeleteDisk", Map.of("DiskId", id));
                        case ADDRESS ->
                            api.post(Lane.SAFETY, "ReleaseEipAddress", Map.of("RegionId", region, "AllocationId", id));
                        default ->
                            throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "no kind of leftover: " + kind);
                    };
            if (!AliyunErrors.notFound(answer)) {
                AliyunErrors.document(answer);
            }
        } catch (NoAnswerException e) {
            throw e.asProviderException();
        }
    }
}
