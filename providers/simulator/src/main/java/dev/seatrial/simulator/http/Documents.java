package dev.seatrial.simulator.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.MeterReading;
import dev.seatrial.simulator.Profile;
import dev.seatrial.simulator.cloud.Cloud;
import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.FaultRule;
import dev.seatrial.simulator.cloud.FaultRule.Action;
import dev.seatrial.simulator.cloud.SimInstance;
import dev.seatrial.simulator.ssh.SshHosts;
import java.util.List;

/** The vendor's documents as JSON. */
final class Documents {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Profile profile;
    private final Cloud cloud;
    private final SshHosts hosts;

    Documents(Profile profile, Cloud cloud, SshHosts hosts) {
        this.profile = profile;
        this.cloud = cloud;
        this.hosts = hosts;
    }

    ObjectNode instance(Cloud.View view, FaultBook.Meeting meeting) {
        SimInstance instance = view.instance();
        ObjectNode node = NODES.objectNode();
        if (meeting.change(Action.NUMBER_IDS).isPresent()) {
            node.put("id", Long.parseLong(instance.id()));
        } else {
            node.put("id", instance.id());
        }
        node.put("name", instance.name());
        node.put(
                "state",
                meeting.changes().stream()
                        .filter(rule -> rule.action() == Action.UNKNOWN_STATE)
                        .filter(rule -> (instance.name() + " " + instance.id()).contains(rule.match()))
                        .map(FaultRule::word)
                        .findFirst()
                        .orElse(view.word()));
        node.put("offer", instance.offer().id());
        node.put("gpus", instance.offer().gpus());
        node.put("region", instance.offer().region());
        node.put("hourly", view.hourly().toPlainString());
        node.put("currency", profile.currency());
        node.put("createdAt", cloud.vendorTime(instance.from()).toString());
        view.deleteAt().ifPresent(at -> node.put("deleteAt", at.toString()));
        if (view.loginShown()) {
            node.putObject("ssh")
                    .put("host", "127.0.0.1")
                    .put("port", hosts.port(instance, view.dead()))
                    .put("user", SshHosts.USER);
        } else {
            node.putNull("ssh");
        }
        return node;
    }

    ObjectNode account() {
        ObjectNode node = NODES.objectNode();
        node.put("account", profile.account());
        ArrayNode permissions = node.putArray("permissions");
        profile.permissions().forEach(permissions::add);
        ObjectNode traits = node.putObject("traits");
        traits.put("profile", profile.name());
        traits.put("description", profile.description());
        traits.put("token", profile.traits().token());
        traits.put("balance", profile.traits().balance());
        traits.put("cost", profile.traits().cost());
        traits.put("shutdownEndsBill", profile.traits().shutdownEndsBill());
        traits.put("settleSeconds", profile.timing().settle());
        traits.put("releaseAllowanceSeconds", profile.timing().releaseAllowance());
        traits.put("provisioningSeconds", profile.timing().provisioning());
        traits.put("pollSeconds", profile.timing().poll());
        if (profile.deadline().supported()) {
            traits.putObject("deadline")
                    .put("floorSeconds", profile.deadline().floor())
                    .put("precisionSeconds", profile.deadline().precision());
        } else {
            traits.putNull("deadline");
        }
        return node;
    }

    ObjectNode offers() {
        ObjectNode node = NODES.objectNode();
        ArrayNode items = node.putArray("offers");
        for (Profile.OfferSpec offer : profile.offers()) {
            items.addObject()
                    .put("id", offer.id())
                    .put("region", offer.region())
                    .put("gpu", offer.gpu())
                    .put("vendorGpu", offer.vendorGpu())
                    .put("gpus", offer.gpus())
                    .put("hourly", offer.hourly().toPlainString())
                    .put("currency", profile.currency())
                    .put("increment", offer.increment())
                    .put("minimumSeconds", offer.minimumSeconds())
                    .put("refund", offer.refund())
                    .put("stopped", offer.stopped())
                    .put("available", offer.available());
        }
        return node;
    }

    ObjectNode images() {
        ObjectNode node = NODES.objectNode();
        ArrayNode items = node.putArray("images");
        profile.images().forEach(image -> items.addObject()
                .put("id", image.id())
                .put("name", image.name())
                .put("description", image.description()));
        return node;
    }

    ObjectNode keys(List<Cloud.Key> known) {
        ObjectNode node = NODES.objectNode();
        ArrayNode items = node.putArray("keys");
        known.forEach(key -> items.add(key(key)));
        return node;
    }

    static ObjectNode key(Cloud.Key key) {
        return NODES.objectNode().put("id", key.id()).put("name", key.name()).put("publicKey", key.publicKey());
    }

    static ObjectNode meter(MeterReading reading) {
        ObjectNode node = NODES.objectNode();
        node.put("at", reading.at().toString());
        node.put("created", reading.created());
        ArrayNode running = node.putArray("running");
        reading.running().forEach(running::add);
        node.put("billed", reading.billed().getAmount().toPlainString());
        node.put("currency", reading.billed().getCurrencyUnit().getCode());
        ArrayNode items = node.putArray("instances");
        for (MeterReading.MeteredInstance instance : reading.instances()) {
            ObjectNode item = items.addObject();
            item.put("id", instance.id())
                    .put("name", instance.name())
                    .put("gpus", instance.gpus())
                    .put("state", instance.state())
                    .put("from", instance.from().toString());
            instance.to().ifPresentOrElse(to -> item.put("to", to.toString()), () -> item.putNull("to"));
            item.put("billed", instance.billed().getAmount().toPlainString());
        }
        return node;
    }
}
