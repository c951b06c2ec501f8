package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.http.Lane;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The switch and the security group an instance is created in. Those of the configuration, else what can only be meant: the
 * zone's default switch, a security group named {@value #NAME}, or the only one there is. Nothing is guessed among several.
 *
 * <p>DescribeVSwitches and DescribeSecurityGroups are in the vendor's list of actions; their parameters are unverified.
 */
final class AliyunNetworks {
    private static final String NAME = "seatrial";

    private final Set<String> switches;
    private final Set<String> groups;

    /** Where an instance goes. */
    record Place(String vSwitch, String securityGroup) {}

    /** Configured ids; empty = found out. */
    AliyunNetworks(Set<String> switches, Set<String> groups) {
        this.switches = Set.copyOf(switches);
        this.groups = Set.copyOf(groups);
    }

    /** @throws ProviderException {@link ErrorKind#INVALID_ARGUMENT} in plain words when it cannot be told which is meant */
    Place find(AliyunApi api, AliyunOffer offer) {
        JsonNode vSwitch = only(
                list(
                        api,
                        "DescribeVSwitches",
                        Map.of("RegionId", offer.region(), "ZoneId", offer.zone()),
                        "VSwitches",
                        "VSwitch"),
                "VSwitchId",
                switches,
                item -> item.path("IsDefault").asBoolean(false),
                "switch in " + offer.zone(),
                "vSwitch");
        String vpc = AliyunMapper.text(vSwitch.path("VpcId"));
        JsonNode group = only(
                list(
                        api,
                        "DescribeSecurityGroups",
                        Map.of("RegionId", offer.region(), "VpcId", vpc),
                        "SecurityGroups",
                        "SecurityGroup"),
                "SecurityGroupId",
                groups,
                item -> AliyunMapper.text(item.path("SecurityGroupName")).equals(NAME),
                "security group in " + vpc + " of " + offer.region(),
                "securityGroup");
        return new Place(
                AliyunMapper.text(vSwitch.path("VSwitchId")), AliyunMapper.text(group.path("SecurityGroupId")));
    }

    private interface Preferred {
        boolean is(JsonNode item);
    }

    private static JsonNode only(
            List<JsonNode> all, String id, Set<String> configured, Preferred preferred, String what, String setting) {
        List<JsonNode> wanted = all.stream()
                .filter(item -> configured.isEmpty() || configured.contains(AliyunMapper.text(item.path(id))))
                .toList();
        List<JsonNode> best = wanted.stream().filter(preferred::is).toList();
        if (best.size() == 1) {
            return best.get(0);
        }
        if (wanted.size() == 1) {
            return wanted.get(0);
        }
        throw new ProviderException(
                ErrorKind.INVALID_ARGUMENT,
                wanted.isEmpty()
                        ? "there is no " + what + (configured.isEmpty() ? "" : " among " + configured)
                                + "; make one or name it in " + setting
                        : "there are " + wanted.size() + " to choose from as " + what + "; name one in " + setting);
    }

    private static List<JsonNode> list(
            AliyunApi api, String action, Map<String, String> parameters, String outer, String inner) {
        List<JsonNode> all = new ArrayList<>();
        AliyunPages.numbered(api, Lane.CREATE, action, new LinkedHashMap<>(parameters), 50, outer, inner)
                .forEach(all::add);
        return all;
    }
}
