package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** Pure functions from the vendor's documents to ours. What is missing is absent; what makes no sense is an error. */
final class TencentMapper {
    /** Tag of everything that a create makes; its value is the lease's name. */
    static final String TAG = "seatrial";

    /** {@code ActionTime} is more than 5 minutes ahead; one more, as our clock and the vendor's may differ. */
    static final Duration FLOOR = Duration.ofMinutes(6);

    private TencentMapper() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** When the vendor will destroy, asked to do so at that time: not before its floor, at a whole second. */
    static Instant actionTime(Instant wanted, Instant now) {
        Instant least = now.plus(FLOOR);
        Instant at = wanted.isBefore(least) ? least : wanted;
        Instant second = at.truncatedTo(ChronoUnit.SECONDS);
        return second.equals(at) ? second : second.plusSeconds(1);
    }

    /** A time as the vendor writes it, with Z or an offset. */
    static Optional<Instant> time(JsonNode node) {
        if (!node.isTextual()) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(node.asText()).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    static Instance instance(JsonNode node, String region) {
        String id = text(node.path("InstanceId"));
        if (id.isBlank() || id.length() > 100) {
            throw odd("an instance without an id");
        }
        String word = text(node.path("InstanceState"));
        InstanceState state = state(word, text(node.path("StopChargingMode")));
        String restricted = text(node.path("RestrictState"));
        boolean unwell = !restricted.isEmpty() && !restricted.equals("NORMAL");
        String trouble = text(node.path("LatestOperationErrorMsg"));
        return new Instance(
                new InstanceId(region + "/" + id),
                text(node.path("InstanceName")),
                unwell && state == InstanceState.RUNNING ? InstanceState.UNHEALTHY : state,
                cut(word + (unwell ? ", " + restricted : "") + (trouble.isEmpty() ? "" : ": " + trouble)),
                ssh(node),
                Optional.empty(),
                time(node.path("CreatedTime")));
    }

    private static String cut(String words) {
        return words.length() > 200 ? words.substring(0, 200) + "…" : words;
    }

    /**
     * {@code SHUTDOWN} is stopped and waiting to be destroyed. A stopped instance bills unless its {@code StopChargingMode} is
     * {@code STOP_CHARGING}; disks and addresses bill even then.
     */
    static InstanceState state(String word, String stopChargingMode) {
        return switch (word) {
            case "PENDING" -> InstanceState.PROVISIONING;
            case "LAUNCH_FAILED" -> InstanceState.FAILED_MAYBE_BILLING;
            case "STARTING", "REBOOTING" -> InstanceState.BOOTING;
            case "RUNNING" -> InstanceState.RUNNING;
            case "STOPPING" -> InstanceState.STOPPED_BILLING;
            case "STOPPED" ->
                stopChargingMode.equals("STOP_CHARGING")
                        ? InstanceState.STOPPED_STORAGE_ONLY
                        : InstanceState.STOPPED_BILLING;
            case "SHUTDOWN", "TERMINATING" -> InstanceState.RELEASING;
            case "ENTER_RESCUE_MODE",
                    "RESCUE_MODE",
                    "EXIT_RESCUE_MODE",
                    "ENTER_SERVICE_LIVE_MIGRATE",
                    "SERVICE_LIVE_MIGRATE",
                    "EXIT_SERVICE_LIVE_MIGRATE" -> InstanceState.UNHEALTHY;
            default -> InstanceState.UNKNOWN;
        };
    }

    private static Optional<SshEndpoint> ssh(JsonNode node) {
        String host = text(node.path("PublicIpAddresses").path(0));
        if (!host.matches("[0-9A-Fa-f.:]{2,45}")) {
            return Optional.empty();
        }
        int port = node.path("DefaultLoginPort").asInt(22);
        String user = text(node.path("DefaultLoginUser"));
        return Optional.of(new SshEndpoint(
                host,
                port < 1 || port > 65535 ? 22 : port,
                user.matches("[A-Za-z_][A-Za-z0-9_-]{0,31}") ? user : "root"));
    }

    /** GPUs of a type; 0 for one that has none or a part of one. */
    static int gpus(JsonNode type) {
        double real = type.path("GpuCount").asDouble(0);
        if (real > 0 && real < 1) {
            return 0;
        }
        return real >= 1 ? (int) real : type.path("Gpu").asInt(0);
    }

    /**
     * One instance type in one zone.
     *
     * @param type an item of DescribeZoneInstanceConfigInfos
     * @param price of the whole, disk included
     */
    static Offer offer(ProviderId provider, TencentOffer place, JsonNode type, BigMoney price) {
        String words = text(type.path("TypeName"));
        return new Offer(
                place.id(),
                provider,
                place.region(),
                gpu(type),
                words + " (" + place.type() + " in " + place.zone() + ")",
                gpus(type),
                Pricing.of(price, BillingIncrement.SECOND, Duration.ZERO),
                "billed by the second to its release, settled each hour; the first hour's price is frozen meanwhile, which"
                        + " vouchers cannot pay",
                "a stopped instance bills in full unless it was stopped without charging; its disk and addresses still do",
                availability(type));
    }

    static String gpu(JsonNode type) {
        return TencentGpus.gpu(text(type.path("InstanceFamily")), text(type.path("TypeName")));
    }

    private static Availability availability(JsonNode type) {
        if (text(type.path("Status")).equals("SOLD_OUT")) {
            return Availability.NO;
        }
        return switch (text(type.path("StatusCategory"))) {
            case "EnoughStock", "NormalStock", "UnderStock" -> Availability.YES;
            case "WithoutStock" -> Availability.NO;
            default -> Availability.UNKNOWN;
        };
    }

    /**
     * Price of an hour within the first 96, the highest there is: with the account's discount, or the list price where none is
     * told. Empty when there is none.
     */
    static Optional<BigMoney> hourly(JsonNode price, CurrencyUnit currency) {
        if (!text(price.path("ChargeUnit")).equals("HOUR")) {
            return Optional.empty();
        }
        return amount(price.path("UnitPriceDiscount"), currency)
                .filter(BigMoney::isPositive)
                .or(() -> amount(price.path("UnitPrice"), currency))
                .filter(BigMoney::isPositive);
    }

    static Optional<BigMoney> amount(JsonNode node, CurrencyUnit currency) {
        String digits = node.isNumber() ? node.decimalValue().toPlainString() : "";
        return digits.length() > 30 || digits.isEmpty()
                ? Optional.empty()
                : Optional.of(BigMoney.of(currency, new BigDecimal(digits)));
    }

    static Image image(JsonNode node) {
        String id = text(node.path("ImageId"));
        if (id.isBlank()) {
            throw odd("an image without an id");
        }
        String name = text(node.path("ImageName"));
        return new Image(id, name.isBlank() ? id : name, text(node.path("OsName")));
    }

    /** Something of ours by its tag or else its name. */
    static Optional<DependentResource> thing(JsonNode node, String region, Leftover what) {
        String id = text(node.path(what.id()));
        if (id.isBlank()) {
            throw odd("a " + what.kind() + " without an id");
        }
        for (JsonNode tag : node.path(what.tags())) {
            String value = text(tag.path("Value"));
            if (text(tag.path("Key")).equals(TAG) && LeaseName.parse(value).isPresent()) {
                return Optional.of(new DependentResource(what.kind(), region + "/" + id, value, what.bills()));
            }
        }
        return LeaseName.parse(text(node.path(what.name())))
                .map(ours -> new DependentResource(what.kind(), region + "/" + id, ours.text(), what.bills()));
    }

    /**
     * How a kind of leftover looks.
     *
     * @param kind our word
     * @param id field of its id
     * @param name field of its name
     * @param tags field of its tags
     */
    record Leftover(String kind, String id, String name, String tags, boolean bills) {}

    /** Text of a value, empty for anything else. */
    static String text(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? node.asText("") : "";
    }

    static ProviderException odd(String what) {
        return new ProviderException(ErrorKind.PROTOCOL, "Tencent Cloud answered with " + what);
    }
}
