package dev.seatrial.vendors.tencent;

import dev.seatrial.provider.ProviderId;
import dev.seatrial.vendors.VendorAccount;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;

/**
 * One configured account.
 *
 * @param id its name
 * @param regions where it rents; every list reads all of them
 * @param url address in which {@code {service}} stands for a service such as {@code cvm}
 * @param credentials asked anew for every call
 * @param network private network; empty = the account's default one
 * @param securityGroups empty = the project's default one
 * @param image image used when a request names none; empty = the vendor's Ubuntu
 * @param disk system disk
 * @param currency in which this account is billed; the vendor's prices do not say
 * @param clock ours
 */
record TencentSettings(
        ProviderId id,
        List<String> regions,
        String url,
        TencentApi.Credentials credentials,
        Optional<Network> network,
        List<String> securityGroups,
        Optional<String> image,
        Disk disk,
        CurrencyUnit currency,
        InstantSource clock) {
    private static final Pattern REGION = Pattern.compile("[a-z]{2,4}-[a-z0-9-]{2,40}");

    /** A private network and a part of it, which is in one zone. */
    record Network(String vpc, String subnet) {}

    /**
     * @param type e.g. {@code CLOUD_BSSD}; empty = whatever the vendor has
     * @param gigabytes size
     */
    record Disk(Optional<String> type, int gigabytes) {}

    TencentSettings {
        regions = List.copyOf(regions);
        securityGroups = List.copyOf(securityGroups);
        if (regions.isEmpty()) {
            throw new IllegalArgumentException("region names no region");
        }
        for (String region : regions) {
            if (!isRegion(region)) {
                throw new IllegalArgumentException("no region of Tencent Cloud has a name like this: " + region);
            }
        }
        URI example = URI.create(url.replace("{service}", "cvm"));
        if (example.getHost() == null || !("https".equals(example.getScheme()) || "http".equals(example.getScheme()))) {
            throw new IllegalArgumentException("url is no web address: " + url);
        }
    }

    /** @throws IllegalArgumentException when they cannot be used, in plain words */
    static TencentSettings of(VendorAccount account) {
        Optional<String> vpc = account.setting("vpc");
        Optional<String> subnet = account.setting("subnet");
        if (vpc.isPresent() != subnet.isPresent()) {
            throw new IllegalArgumentException("vpc and subnet go together: name both or none");
        }
        return new TencentSettings(
                account.id(),
                words(account.required("region")),
                account.setting("url").orElse("https://{service}.tencentcloudapi.com"),
                new TencentApi.Credentials(
                        account.secret("secretId"), account.secret("secretKey"), () -> account.secrets()
                                .apply("token")),
                vpc.map(v -> new Network(v, subnet.orElseThrow())),
                words(account.setting("securityGroup").orElse("")),
                account.setting("image"),
                new Disk(account.setting("disk"), gigabytes(account)),
                currency(account.setting("currency").orElse("CNY")),
                account.clock());
    }

    private static CurrencyUnit currency(String code) {
        try {
            return CurrencyUnit.of(code);
        } catch (IllegalCurrencyException e) {
            throw new IllegalArgumentException("currency is none: " + code, e);
        }
    }

    private static int gigabytes(VendorAccount account) {
        String text = account.setting("diskGb").orElse("100");
        if (!text.matches("[0-9]{2,5}") || Integer.parseInt(text) < 20 || Integer.parseInt(text) > 2048) {
            throw new IllegalArgumentException("diskGb must be a number from 20 to 2048: " + text);
        }
        return Integer.parseInt(text);
    }

    private static List<String> words(String list) {
        return Stream.of(list.split("[,\\s]+"))
                .filter(word -> !word.isBlank())
                .distinct()
                .toList();
    }

    static boolean isRegion(String text) {
        return REGION.matcher(text).matches();
    }

    /** Address of a service. */
    URI endpoint(String service) {
        return URI.create(url.replace("{service}", service));
    }
}
