package dev.seatrial.vendors.sim;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Image;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.SshEndpoint;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;

/** Pure functions from the vendor's documents to ours. What is missing is absent; what makes no sense is an error. */
final class SimMapper {
    private SimMapper() {}

    static Instance instance(JsonNode node) {
        String id = node.path("id").isValueNode() ? node.path("id").asText("") : "";
        if (id.isBlank() || id.equals("null") || id.length() > 200) {
            throw odd("an instance without an id");
        }
        String word = node.path("state").asText("");
        return new Instance(
                new InstanceId(id),
                node.path("name").asText(""),
                state(word),
                word,
                ssh(node.path("ssh")),
                optionalMoney(node, "hourly"),
                instant(node.path("createdAt")));
    }

    static InstanceState state(String word) {
        return switch (word) {
            case "requested" -> InstanceState.REQUESTED;
            case "provisioning" -> InstanceState.PROVISIONING;
            case "booting" -> InstanceState.BOOTING;
            case "running" -> InstanceState.RUNNING;
            case "failed" -> InstanceState.FAILED_MAYBE_BILLING;
            case "deleting" -> InstanceState.RELEASING;
            case "terminated" -> InstanceState.GONE;
            default -> InstanceState.UNKNOWN;
        };
    }

    static Offer offer(ProviderId provider, JsonNode node) {
        String id = node.path("id").asText("");
        if (id.isBlank()
                || id.length() > 300
                || !node.path("gpus").canConvertToInt()
                || node.path("gpus").asInt() < 0) {
            throw odd("an offer without an id or a GPU count");
        }
        BigMoney hourly = optionalMoney(node, "hourly").orElseThrow(() -> odd("offer " + id + " without a price"));
        long minimum = node.path("minimumSeconds").asLong(0);
        if (hourly.isNegative() || minimum < 0) {
            throw odd("offer " + id + " with a negative price or minimum");
        }
        return new Offer(
                new OfferId(id),
                provider,
                node.path("region").asText("-"),
                node.path("gpu").asText(""),
                node.path("vendorGpu").asText(""),
                node.path("gpus").asInt(),
                Pricing.of(hourly, increment(node.path("increment").asText("")), Duration.ofSeconds(minimum)),
                node.path("refund").asText(""),
                node.path("stopped").asText(""),
                switch (node.path("available").asText("")) {
                    case "yes" -> Availability.YES;
                    case "no" -> Availability.NO;
                    default -> Availability.UNKNOWN;
                });
    }

    static Image image(JsonNode node) {
        return new Image(
                node.path("id").asText(""),
                node.path("name").asText(""),
                node.path("description").asText(""));
    }

    /** Money in the document's own currency; throws when it is there and is no money. */
    static BigMoney money(JsonNode node, String field) {
        return optionalMoney(node, field).orElseThrow(() -> odd("no " + field));
    }

    private static Optional<BigMoney> optionalMoney(JsonNode node, String field) {
        String amount = node.path(field).asText("");
        String currency = node.path("currency").asText("");
        if (amount.isEmpty() || currency.isEmpty() || amount.length() > 40) {
            return Optional.empty();
        }
        try {
            return Optional.of(BigMoney.of(CurrencyUnit.of(currency), new BigDecimal(amount)));
        } catch (NumberFormatException | IllegalCurrencyException e) {
            throw odd("a " + field + " that is no money: " + amount + " " + currency);
        }
    }

    private static BillingIncrement increment(String word) {
        return switch (word) {
            case "second" -> BillingIncrement.SECOND;
            case "minute" -> BillingIncrement.MINUTE;
            case "hour" -> BillingIncrement.HOUR;
            case "day" -> BillingIncrement.DAY;
            default -> throw odd("an unknown billing increment: " + word);
        };
    }

    private static Optional<SshEndpoint> ssh(JsonNode node) {
        int port = node.path("port").asInt(0);
        String host = node.path("host").asText("");
        return host.isEmpty() || port < 1 || port > 65535
                ? Optional.empty()
                : Optional.of(new SshEndpoint(host, port, node.path("user").asText("root")));
    }

    static Optional<Instant> instant(JsonNode node) {
        try {
            return node.isTextual() ? Optional.of(Instant.parse(node.asText())) : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    static ProviderException odd(String what) {
        return new ProviderException(ErrorKind.PROTOCOL, "the simulated vendor answered with " + what);
    }
}
