package dev.seatrial.vendors.aliyun;

import dev.seatrial.provider.ProviderId;
import dev.seatrial.vendors.VendorAccount;
import java.net.URI;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One configured account.
 *
 * @param id its name
 * @param regions where it rents; every list reads all of them
 * @param url address of the ECS endpoint, in which {@code {region}} stands for a region; empty = the vendor's own
 * @param billingUrl address of the billing service
 * @param credentials asked anew for every call
 * @param vSwitches configured switches
 * @param securityGroups configured security groups
 * @param image image or image family used when a request names none
 * @param disk system disk
 * @param clock ours
 */
record AliyunSettings(
        ProviderId id,
        List<String> regions,
        Optional<String> url,
        URI billingUrl,
        AliyunApi.Credentials credentials,
        Set<String> vSwitches,
        Set<String> securityGroups,
        String image,
        Disk disk,
        InstantSource clock) {
    private static final Pattern REGION = Pattern.compile("[a-z]{2}-[a-z0-9-]{2,40}");

    /**
     * @param category e.g. {@code cloud_essd}
     * @param gigabytes size
     */
    record Disk(String category, int gigabytes) {}

    AliyunSettings {
        regions = List.copyOf(regions);
        vSwitches = Set.copyOf(vSwitches);
        securityGroups = Set.copyOf(securityGroups);
        if (regions.isEmpty()) {
            throw new IllegalArgumentException("region names no region");
        }
        for (String region : regions) {
            if (!isRegion(region)) {
                throw new IllegalArgumentException("no region of Alibaba Cloud has a name like this: " + region);
            }
        }
    }

    /** @throws IllegalArgumentException when they cannot be used, in plain words */
    static AliyunSettings of(VendorAccount account) {
        return new AliyunSettings(
                account.id(),
                List.copyOf(words(account.required("region"))),
                account.setting("url").map(AliyunSettings::template),
                account.url("billingUrl", "https://business.aliyuncs.com"),
                new AliyunApi.Credentials(
                        account.secret("accessKeyId"), account.secret("accessKeySecret"), () -> account.secrets()
                                .apply("securityToken")),
                words(account.setting("vSwitch").orElse("")),
                words(account.setting("securityGroup").orElse("")),
                account.setting("image").orElse("acs:ubuntu_22_04_x64"),
                new Disk(account.setting("disk").orElse("cloud_essd"), gigabytes(account)),
                account.clock());
    }

    private static String template(String url) {
        // Host and scheme are looked at with a region in place.
        URI example = URI.create(url.replace("{region}", "cn-beijing"));
        if (example.getHost() == null || !("https".equals(example.getScheme()) || "http".equals(example.getScheme()))) {
            throw new IllegalArgumentException("url is no web address: " + url);
        }
        return url;
    }

    private static int gigabytes(VendorAccount account) {
        String text = account.setting("diskGb").orElse("100");
        if (!text.matches("[0-9]{2,5}") || Integer.parseInt(text) < 20 || Integer.parseInt(text) > 2048) {
            throw new IllegalArgumentException("diskGb must be a number from 20 to 2048: " + text);
        }
        return Integer.parseInt(text);
    }

    private static Set<String> words(String list) {
        return Stream.of(list.split("[,\\s]+"))
                .filter(word -> !word.isBlank())
                .collect(LinkedHashSet::new, Set::add, Set::addAll);
    }

    static boolean isRegion(String text) {
        return REGION.matcher(text).matches();
    }

    /** Address of a region's ECS endpoint. */
    URI endpoint(String region) {
        return URI.create(url.orElse("https://ecs.{region}.aliyuncs.com").replace("{region}", region));
    }
}
