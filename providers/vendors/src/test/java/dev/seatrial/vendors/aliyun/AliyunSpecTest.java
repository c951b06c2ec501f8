package dev.seatrial.vendors.aliyun;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whatever the adapter sends, against the vendor's own models of parameters. */
class AliyunSpecTest {
    /** Actions of which there is no model in the folder: only their names can be checked. */
    private static final Set<String> NAME_ONLY = Set.of(
            "DescribeInstanceAttribute",
            "DescribeVSwitches",
            "DescribeSecurityGroups",
            "DescribeDisks",
            "DeleteDisk",
            "DescribeEipAddresses",
            "ReleaseEipAddress");

    /** Longest values, of the vendor's help pages; the models tell none. */
    private static final Map<String, Integer> LONGEST = Map.of(
            "ClientToken", 64,
            "InstanceName", 128,
            "KeyPairName", 128,
            "Tag.1.Key", 128,
            "Tag.1.Value", 128,
            "SystemDisk.DiskName", 128,
            "UserData", 43_692);

    @SpecTest
    void everyRequestIsAsTheVendorDescribesIt() {
        try (AliyunDouble vendor = new AliyunDouble("cn-beijing, cn-shanghai")) {
            everything(vendor);
            Set<String> seen = new TreeSet<>();
            List<String> wrong = new ArrayList<>();
            for (WireVendor.Exchange exchange : vendor.exchanges()) {
                LoggedRequest request = exchange.request();
                String action = request.getHeader("x-acs-action");
                if (request.getHeader("x-acs-version").equals("2014-05-26")) {
                    seen.add(action);
                    wrong.addAll(check(action, request));
                }
            }
            assertThat(wrong).isEmpty();
            JsonNode all = Specs.json("aliyun-ecs/version.en-US.json").path("apis");
            assertThat(seen).hasSize(18).allMatch(all::has);
        }
    }

    private static void everything(AliyunDouble vendor) {
        Provider provider = vendor.provider();
        provider.verify();
        provider.offers(OfferQuery.ALL);
        provider.images(vendor.request(1).offer());
        provider.ensureSshKey(vendor.request(1).name(), vendor.request(1).publicKey());
        InstanceId id = ((CreateOutcome.Created) provider.create(vendor.request(1))).id();
        for (int i = 2; i <= vendor.pageSize() + 1; i++) {
            provider.create(vendor.request(i));
        }
        provider.list();
        provider.get(id);
        provider.armDeadline(id, vendor.request(1).deadline().minus(Duration.ofMinutes(20)));
        provider.release(id);
        vendor.advance(Duration.ofMinutes(1));
        provider.get(id);
        vendor.disk("d-1", vendor.request(1).name().text());
        vendor.address("eip-1", vendor.request(1).name().text());
        provider.dependentResources().forEach(provider::release);
        provider.balance();
        provider.cost(id);
    }

    private static List<String> check(String action, LoggedRequest request) {
        List<String> wrong = new ArrayList<>();
        Map<String, String> query = new TreeMap<>();
        request.getQueryParams().forEach((name, values) -> query.put(name, values.firstValue()));
        query.forEach((name, value) -> {
            if (value.length() > LONGEST.getOrDefault(name, Integer.MAX_VALUE)) {
                wrong.add(action + ": " + name + " is too long");
            }
        });
        if (NAME_ONLY.contains(action)) {
            return wrong;
        }
        JsonNode model = Specs.json("aliyun-ecs/" + action + ".json");
        if (!model.path("method").asText().contains(request.getMethod().getName())) {
            wrong.add(action + " is not called by " + request.getMethod());
        }
        query.forEach((name, value) -> {
            String type = type(model.path("parameters"), name);
            if (type.isEmpty()) {
                wrong.add(action + " has no " + name);
            } else if (!fits(type, value)) {
                wrong.add(action + ": " + name + " is no " + type + ": " + value);
            }
        });
        // A dry run that asks for rights leaves out what there is to create, on purpose.
        for (JsonNode parameter : model.path("parameters")) {
            if (parameter.path("required").asBoolean()
                    && !query.containsKey(parameter.path("name").asText())) {
                wrong.add(action + " lacks " + parameter.path("name").asText());
            }
        }
        return wrong;
    }

    /** Type of a parameter, with its place in a list taken out; empty when there is none. */
    private static String type(JsonNode parameters, String name) {
        for (JsonNode parameter : parameters) {
            String known = parameter.path("name").asText();
            if (known.equals(name)) {
                return parameter.path("type").asText();
            }
            if (parameter.path("type").asText().equals("RepeatList") && name.matches(known + "\\.[0-9]+(\\..+)?")) {
                String rest = name.replaceFirst(known + "\\.[0-9]+\\.?", "");
                return rest.isEmpty() ? "String" : type(parameter.path("sub_parameters"), rest);
            }
        }
        return "";
    }

    private static boolean fits(String type, String value) {
        return switch (type) {
            case "String" -> !value.isEmpty();
            case "Integer", "Long" -> value.matches("-?[0-9]{1,18}");
            case "Float" -> value.matches("-?[0-9]+(\\.[0-9]+)?");
            case "Boolean" -> value.equals("true") || value.equals("false");
            default -> false;
        };
    }
}
