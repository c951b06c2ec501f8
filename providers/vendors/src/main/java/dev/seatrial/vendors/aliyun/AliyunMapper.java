package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Image;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.SshEndpoint;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;

/** Pure functions from the vendor's documents to ours. What is missing is absent; what makes no sense is an error. */
final class AliyunMapper {
    /** Tag of everything that a create makes; its value is the lease's name. */
    static final String TAG = "seatrial";

    /** {@code AutoReleaseTime} is at least 30 minutes ahead; one more, as our clock and the vendor's may differ. */
    static final Duration FLOOR = Duration.ofMinutes(31);

    private static final Duration LONGEST = Duration.ofDays(3 * 365);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm[:ss]X");

    private AliyunMapper() {}

    /**
     * When the vendor will release, asked to do so at that time: not before its floor, and at a whole minute, since it drops the
     * seconds: up, so that it is never earlier than asked.
     */
    static Instant releaseTime(Instant wanted, Instant now) {
        Instant least = now.plus(FLOOR);
        Instant most = now.plus(LONGEST).truncatedTo(ChronoUnit.MINUTES);
        Instant at = wanted.isBefore(least) ? least : wanted;
        Instant minute = at.truncatedTo(ChronoUnit.MINUTES);
        Instant up = minute.equals(at) ? minute : minute.plus(1, ChronoUnit.MINUTES);
        return up.isAfter(most) ? most : up;
    }

    /** A time as the vendor writes it, with or without seconds. */
    static Optional<Instant> time(JsonNode node) {
        if (!node.isTextual() || node.asText().isBlank()) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(node.asText(), TIME).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** A time as the vendor reads it. */
    static String time(Instant at) {
        return DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(at);
    }

    /** An instance of DescribeInstances or DescribeInstanceAttribute. */
    static Instance instance(JsonNode node, String region) {
        String id = text(node.path("InstanceId"));
        if (id.isBlank() || id.length() > 100) {
            throw odd("an instance without an id");
        }
        String word = text(node.path("Status"));
        boolean locked = node.path("OperationLocks").path("LockReason").size() > 0;
        InstanceState state = state(word, text(node.path("StoppedMode")));
        return new Instance(
                new InstanceId(region + "/" + id),
                text(node.path("InstanceName")),
                locked && state == InstanceState.RUNNING ? InstanceState.UNHEALTHY : state,
                locked
                        ? word + ", locked: "
                                + text(node.path("OperationLocks")
                                        .path("LockReason")
                                        .path(0)
                                        .path("LockReason"))
                        : word,
                address(node).map(host -> new SshEndpoint(host, 22, "root")),
                Optional.empty(),
                time(node.path("CreationTime")));
    }

    /**
     * A stopped instance bills in full unless its {@code StoppedMode} is {@code StopCharging}; disks and addresses bill even
     * then.
     */
    static InstanceState state(String word, String stoppedMode) {
        return switch (word) {
            case "Pending" -> InstanceState.PROVISIONING;
            case "Starting" -> InstanceState.BOOTING;
            case "Running" -> InstanceState.RUNNING;
            case "Stopping" -> InstanceState.STOPPED_BILLING;
            case "Stopped" ->
                stoppedMode.equals("StopCharging") ? InstanceState.STOPPED_STORAGE_ONLY : InstanceState.STOPPED_BILLING;
            default -> InstanceState.UNKNOWN;
        };
    }

    private static Optional<String> address(JsonNode node) {
        return Optional.of(text(node.path("EipAddress").path("IpAddress")))
                .filter(AliyunMapper::isAddress)
                .or(() -> Optional.of(text(
                                node.path("PublicIpAddress").path("IpAddress").path(0)))
                        .filter(AliyunMapper::isAddress));
    }

    private static boolean isAddress(String text) {
        return text.matches("[0-9A-Fa-f.:]{2,45}");
    }

    /**
     * One instance type in one zone.
     *
     * @param type an item of DescribeInstanceTypes
     * @param price the document of DescribePrice for it
     */
    static Offer offer(
            ProviderId provider, AliyunOffer place, JsonNode type, JsonNode price, Availability availability) {
        String spec = text(type.path("GPUSpec"));
        return new Offer(
                place.id(),
                provider,
                place.region(),
                AliyunGpus.gpu(place.type(), spec),
                spec + " (" + place.type() + " in " + place.zone() + ")",
                type.path("GPUAmount").asInt(0),
                pricing(price),
                "billed by the second to its release, settled each hour; nothing is refunded and nothing is due for the rest",
                "a stopped instance bills in full; in its economical mode its disks and addresses still do",
                availability);
    }

    /** Price of the whole, of which the part for the system disk is set apart where the vendor tells it. */
    static Pricing pricing(JsonNode document) {
        JsonNode price = document.path("PriceInfo").path("Price");
        String currency = text(price.path("Currency"));
        BigMoney whole = money(price.path("TradePrice"), currency);
        BigMoney disk = BigMoney.zero(whole.getCurrencyUnit());
        for (JsonNode detail : price.path("DetailInfos").path("ResourcePriceModel")) {
            if (text(detail.path("Resource")).equals("systemDisk")) {
                disk = disk.plus(money(detail.path("TradePrice"), currency));
            }
        }
        if (whole.isNegativeOrZero() || disk.isNegative() || !disk.isLessThan(whole)) {
            throw odd("a price that is none: " + whole + ", disk " + disk);
        }
        return new Pricing(whole.minus(disk), BillingIncrement.SECOND, Duration.ZERO, disk);
    }

    /** An amount that may come as number or as text, with commas between thousands. */
    static BigMoney money(JsonNode amount, String currency) {
        String digits = amount.isNumber()
                ? amount.decimalValue().toPlainString()
                : text(amount).replace(",", "").strip();
        if (!digits.matches("-?[0-9]{1,15}(\\.[0-9]{1,12})?")) {
            throw odd("an amount that is none: " + digits);
        }
        try {
            return BigMoney.of(CurrencyUnit.of(currency), new BigDecimal(digits));
        } catch (IllegalCurrencyException e) {
            throw odd("an amount in no currency: " + currency);
        }
    }

    /** {@code ClosedWithStock} can still be had, though no more of it comes. */
    static Availability availability(JsonNode supported) {
        return switch (text(supported.path("StatusCategory"))) {
            case "WithStock", "ClosedWithStock" -> Availability.YES;
            case "WithoutStock", "ClosedWithoutStock" -> Availability.NO;
            default -> text(supported.path("Status")).equals("SoldOut") ? Availability.NO : Availability.UNKNOWN;
        };
    }

    static Image image(JsonNode node) {
        String id = text(node.path("ImageId"));
        if (id.isBlank()) {
            throw odd("an image without an id");
        }
        String name = text(node.path("ImageName"));
        return new Image(id, name.isBlank() ? id : name, text(node.path("OSName")));
    }

    static Optional<DependentResource> key(JsonNode node, String region) {
        String name = text(node.path("KeyPairName"));
        return LeaseName.parse(name)
                .map(ours -> new DependentResource("ssh-key", region + "/" + name, ours.text(), false));
    }

    /** A disk or address of ours, by its tag or else its name. */
    static Optional<DependentResource> thing(JsonNode node, String region, String kind, String idField, String name) {
        String id = text(node.path(idField));
        if (id.isBlank()) {
            throw odd("a " + kind + " without an id");
        }
        for (JsonNode tag : node.path("Tags").path("Tag")) {
            String key = text(tag.path("TagKey")) + text(tag.path("Key"));
            String value = text(tag.path("TagValue")) + text(tag.path("Value"));
            if (key.equals(TAG) && LeaseName.parse(value).isPresent()) {
                return Optional.of(new DependentResource(kind, region + "/" + id, value, true));
            }
        }
        return LeaseName.parse(text(node.path(name)))
                .map(ours -> new DependentResource(kind, region + "/" + id, ours.text(), true));
    }

    /** Text of a value, empty for anything else. */
    static String text(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? node.asText("") : "";
    }

    static ProviderException odd(String what) {
        return new ProviderException(ErrorKind.PROTOCOL, "Alibaba Cloud answered with " + what);
    }
}
