package dev.seatrial.vendors.sim;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Capabilities;
import java.time.Duration;
import java.util.Optional;

/**
 * What a simulated vendor says of itself in {@code GET /v1/account}.
 *
 * @param token whether the same token never makes a second instance
 * @param balance whether it tells its balance
 * @param cost whether it tells what an instance has cost
 * @param shutdownEndsBill whether a machine that shuts itself down is deleted
 * @param deadline its own deletion, if it has one
 * @param settle how long an instance may be missing from reads
 * @param releaseAllowance from an accepted release to gone, at most
 * @param provisioning until SSH answers, at most
 * @param poll least time between two lists
 */
public record SimTraits(
        boolean token,
        boolean balance,
        boolean cost,
        boolean shutdownEndsBill,
        Optional<Capabilities.ServerDeadline> deadline,
        Duration settle,
        Duration releaseAllowance,
        Duration provisioning,
        Duration poll) {
    /** While the vendor has not been heard: as if it could nothing and took its time. */
    public static final SimTraits CAUTIOUS = new SimTraits(
            false,
            false,
            false,
            false,
            Optional.empty(),
            Duration.ofSeconds(60),
            Duration.ofMinutes(5),
            Duration.ofMinutes(10),
            Duration.ofSeconds(1));

    static SimTraits read(JsonNode account) {
        JsonNode traits = account.path("traits");
        JsonNode deadline = traits.path("deadline");
        return new SimTraits(
                traits.path("token").asBoolean(false),
                traits.path("balance").asBoolean(false),
                traits.path("cost").asBoolean(false),
                traits.path("shutdownEndsBill").asBoolean(false),
                deadline.isObject()
                        ? Optional.of(new Capabilities.ServerDeadline(
                                seconds(deadline, "floorSeconds", Duration.ZERO),
                                seconds(deadline, "precisionSeconds", Duration.ofMinutes(1))))
                        : Optional.empty(),
                seconds(traits, "settleSeconds", CAUTIOUS.settle),
                seconds(traits, "releaseAllowanceSeconds", CAUTIOUS.releaseAllowance),
                seconds(traits, "provisioningSeconds", CAUTIOUS.provisioning),
                seconds(traits, "pollSeconds", CAUTIOUS.poll));
    }

    private static Duration seconds(JsonNode node, String name, Duration otherwise) {
        JsonNode value = node.path(name);
        boolean usable = value.isNumber() && value.asDouble() >= 0 && value.asDouble() < 1e8;
        return usable ? Duration.ofMillis(Math.round(value.asDouble() * 1000)) : otherwise;
    }

    Capabilities capabilities() {
        return new Capabilities(
                token,
                deadline,
                shutdownEndsBill,
                true,
                balance,
                cost,
                false,
                true,
                settle,
                releaseAllowance,
                provisioning,
                poll,
                "simulated");
    }
}
