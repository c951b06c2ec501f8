package dev.seatrial.vendors.tencent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.vendors.SpecTest;
import dev.seatrial.vendors.Specs;
import dev.seatrial.vendors.WireVendor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.joda.money.CurrencyUnit;

/** Whatever the adapter sends, and whatever its test vendor answers, against the vendor's own model of its API. */
class TencentSpecTest {
    private static final String MODEL = "tencent-cvm-2017-03-12.api.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Longest values, of the vendor's words in the model and its error codes. */
    private static final Map<String, Integer> LONGEST =
            Map.of("ClientToken", 64, "InstanceName", 60, "KeyName", 25, "DiskName", 128, "UserData", 21_848);

    @SpecTest
    void everyRequestAndAnswerIsAsTheVendorDescribesIt() {
        JsonNode model = Specs.json(MODEL);
        try (TencentDouble vendor = new TencentDouble("ap-guangzhou,ap-beijing")) {
            everything(vendor);
            Set<String> seen = new TreeSet<>();
            List<String> wrong = new ArrayList<>();
            for (WireVendor.Exchange exchange : vendor.exchanges()) {
                LoggedRequest request = exchange.request();
                String action = request.getHeader("X-TC-Action");
                if (!request.getUrl().startsWith("/cvm/")) {
                    continue;
                }
                seen.add(action);
                JsonNode described = model.path("actions").path(action);
                assertThat(described.path("status").asText()).as(action).isEqualTo("online");
                check(model, described.path("input").asText(), tree(request.getBodyAsString()), action, true, wrong);
                JsonNode response = tree(exchange.reply().orElseThrow().body()).path("Response");
                if (!response.has("Error")) {
                    check(model, described.path("output").asText(), response, action + " answered", false, wrong);
                }
            }
            assertThat(wrong).isEmpty();
            assertThat(seen).hasSizeGreaterThan(10);
        }
    }

    /** The vendor's own examples are understood. */
    @SpecTest
    void theVendorsExamplesAreUnderstood() {
        JsonNode examples = Specs.json("tencent-cvm-2017-03-12.examples.json").path("actions");
        for (JsonNode response : outputs(examples, "DescribeInstances")) {
            for (JsonNode instance : response.path("InstanceSet")) {
                assertThat(TencentMapper.instance(instance, "ap-guangzhou")).satisfies(i -> {
                    assertThat(i.vendorState()).isNotBlank();
                    assertThat(i.createdAt()).isPresent();
                });
            }
        }
        assertThat(outputs(examples, "InquiryPriceRunInstances"))
                .extracting(r -> TencentMapper.hourly(r.path("Price").path("InstancePrice"), CurrencyUnit.of("CNY")))
                .anyMatch(Optional::isPresent);
        for (JsonNode response : outputs(examples, "DescribeImages")) {
            response.path("ImageSet")
                    .forEach(image ->
                            assertThat(TencentMapper.image(image).name()).isNotBlank());
        }
        for (JsonNode response : outputs(examples, "DescribeInstancesActionTimer")) {
            response.path("ActionTimers").forEach(timer -> assertThat(TencentMapper.time(timer.path("ActionTime")))
                    .isPresent());
        }
    }

    private static List<JsonNode> outputs(JsonNode examples, String action) {
        List<JsonNode> all = new ArrayList<>();
        for (JsonNode example : examples.path(action)) {
            all.add(tree(example.path("output").asText()).path("Response"));
        }
        assertThat(all).as(action).isNotEmpty();
        return all;
    }

    private static void everything(TencentDouble vendor) {
        Provider provider = vendor.provider();
        provider.verify();
        provider.offers(OfferQuery.ALL);
        provider.images(vendor.request(1).offer());
        provider.ensureSshKey(vendor.request(1).name(), vendor.request(1).publicKey());
        InstanceId id = ((CreateOutcome.Created) provider.create(vendor.request(1))).id();
        vendor.request(2, TencentDouble.ECDSA);
        for (int i = 2; i <= vendor.pageSize() + 1; i++) {
            provider.create(vendor.request(i));
        }
        provider.create(vendor.request(1));
        Provider named = vendor.provider(
                TencentDouble.SECRET_KEY,
                Map.of("vpc", "vpc-1", "subnet", "subnet-1", "securityGroup", "sg-1", "disk", "CLOUD_BSSD"));
        named.create(vendor.request(vendor.pageSize() + 2));
        provider.list();
        provider.get(id);
        provider.armDeadline(id, vendor.request(1).deadline().minus(Duration.ofMinutes(20)));
        vendor.timersProtect(false);
        provider.release(id);
        vendor.advance(Duration.ofMinutes(1));
        provider.get(id);
        provider.dependentResources().forEach(provider::release);
        provider.balance();
    }

    private static JsonNode tree(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** @param asked whether it is a request: those must be whole, and may not be null */
    private static void check(
            JsonNode model, String object, JsonNode value, String where, boolean asked, List<String> wrong) {
        JsonNode members = model.path("objects").path(object).path("members");
        assertThat(members.isArray()).as(object).isTrue();
        value.properties().forEach(field -> {
            for (JsonNode member : members) {
                if (member.path("name").asText().equals(field.getKey())) {
                    fits(model, member, field.getValue(), where + "." + field.getKey(), asked, wrong);
                    return;
                }
            }
            wrong.add(where + " has no " + field.getKey());
        });
        boolean dry = value.path("DryRun").asBoolean(false);
        for (JsonNode member : members) {
            if (asked
                    && !dry
                    && member.path("required").asBoolean(false)
                    && !value.has(member.path("name").asText())) {
                wrong.add(where + " lacks " + member.path("name").asText());
            }
        }
    }

    private static void fits(
            JsonNode model, JsonNode member, JsonNode value, String where, boolean asked, List<String> wrong) {
        if (value.isNull() && !asked) {
            return;
        }
        if (asked && member.path("disabled").asBoolean(false)) {
            wrong.add(where + " is no longer taken");
        }
        String type = member.path("type").asText();
        if (type.equals("list")) {
            if (!value.isArray()) {
                wrong.add(where + " is no list");
            }
            value.forEach(item -> one(model, member.path("member").asText(), item, where + "[]", asked, wrong));
        } else {
            one(model, type.equals("object") ? member.path("member").asText() : type, value, where, asked, wrong);
        }
    }

    private static void one(
            JsonNode model, String type, JsonNode value, String where, boolean asked, List<String> wrong) {
        boolean right =
                switch (type) {
                    case "string", "datetime_iso", "datetime" -> value.isTextual();
                    case "int", "int64", "uint64" -> value.isIntegralNumber();
                    case "float" -> value.isNumber();
                    case "bool" -> value.isBoolean();
                    default -> value.isObject();
                };
        if (!right) {
            wrong.add(where + " is no " + type + ": " + value);
        } else if (value.isObject()) {
            check(model, type, value, where, asked, wrong);
        } else if (asked && value.isTextual()) {
            int longest = LONGEST.getOrDefault(where.replaceFirst(".*\\.", ""), Integer.MAX_VALUE);
            if (value.asText().length() > longest || value.asText().isEmpty()) {
                wrong.add(where + " has a length of " + value.asText().length());
            }
        }
    }
}
