package dev.seatrial.vendors.aliyun;

import dev.seatrial.provider.CreateRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** The request that creates. */
final class AliyunRunInstances {
    /** Highest there is; traffic is paid by the gigabyte, so that the rate itself costs nothing. */
    private static final String MEGABITS_OUT = "100";

    private AliyunRunInstances() {}

    /** Everything a create says of one instance. */
    static Map<String, String> parameters(
            AliyunSettings settings, CreateRequest request, AliyunOffer offer, AliyunNetworks.Place place) {
        String name = request.name().text();
        String image = request.image().orElse(settings.image());
        Map<String, String> p = new LinkedHashMap<>();
        p.put("RegionId", offer.region());
        p.put("ZoneId", offer.zone());
        p.put("InstanceType", offer.type());
        p.put(image.startsWith("acs:") ? "ImageFamily" : "ImageId", image);
        p.put("InstanceChargeType", "PostPaid");
        p.put("Amount", "1");
        p.put("InstanceName", name);
        p.put("ClientToken", request.token());
        p.put(
                "AutoReleaseTime",
                AliyunMapper.time(AliyunMapper.releaseTime(
                        request.deadline(), settings.clock().instant())));
        p.put("VSwitchId", place.vSwitch());
        p.put("SecurityGroupId", place.securityGroup());
        p.put("InternetChargeType", "PayByTraffic");
        p.put("InternetMaxBandwidthOut", MEGABITS_OUT);
        p.put("KeyPairName", request.key().value());
        p.put("SystemDisk.Category", settings.disk().category());
        p.put("SystemDisk.Size", String.valueOf(settings.disk().gigabytes()));
        p.put("SystemDisk.DiskName", name);
        // Tags go to the disk and the network interface as well.
        p.put("Tag.1.Key", AliyunMapper.TAG);
        p.put("Tag.1.Value", name);
        request.startupData()
                .ifPresent(data ->
                        p.put("UserData", Base64.getEncoder().encodeToString(data.getBytes(StandardCharsets.UTF_8))));
        return p;
    }
}
