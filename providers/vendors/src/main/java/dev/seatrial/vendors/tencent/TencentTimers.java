package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.DeadlineOutcome;
import dev.seatrial.vendors.http.Lane;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The vendor's timers that destroy an instance. They cannot be moved: a nearer one is added, and the later one stays where it is,
 * so that there is never a moment without. That an instance may have two is unverified; where it may not, arming fails and
 * the first one holds.
 */
final class TencentTimers {
    private TencentTimers() {}

    /** What a create or an import carries. */
    static ObjectNode timer(Instant at) {
        return TencentMapper.object().put("TimerAction", "TerminateInstances").put("ActionTime", at.toString());
    }

    static DeadlineOutcome arm(TencentApi api, String region, String vendorId, Instant wanted) {
        Optional<Instant> nearest = nearest(api, region, vendorId);
        if (nearest.isPresent() && !nearest.get().isAfter(wanted)) {
            return new DeadlineOutcome.Armed(nearest.get());
        }
        ObjectNode body = TencentLeftovers.ids("InstanceIds", vendorId);
        body.set("ActionTimer", timer(wanted));
        JsonNode document = api.read(Lane.SAFETY, region, "ImportInstancesActionTimer", body);
        if (!document.path("ActionTimerIds").path(0).isTextual()) {
            throw TencentMapper.odd("a timer without an id");
        }
        return new DeadlineOutcome.Armed(wanted);
    }

    private static Optional<Instant> nearest(TencentApi api, String region, String vendorId) {
        return nearest(pending(api, region, vendorId));
    }

    private static Optional<Instant> nearest(List<JsonNode> pending) {
        return pending.stream()
                .flatMap(timer -> TencentMapper.time(timer.path("ActionTime")).stream())
                .min(Comparator.naturalOrder());
    }

    /**
     * Takes an instance's timers away, for a release that is refused because of them.
     *
     * @return the nearest of them, to be set again when the release is not taken all the same
     */
    static Optional<Instant> disarm(TencentApi api, String region, String vendorId) {
        List<JsonNode> pending = pending(api, region, vendorId);
        if (!pending.isEmpty()) {
            ObjectNode body = TencentMapper.object();
            ArrayNode ids = body.putArray("ActionTimerIds");
            pending.forEach(timer -> ids.add(TencentMapper.text(timer.path("ActionTimerId"))));
            api.read(Lane.SAFETY, region, "DeleteInstancesActionTimer", body);
        }
        return nearest(pending);
    }

    private static List<JsonNode> pending(TencentApi api, String region, String vendorId) {
        ObjectNode query = TencentLeftovers.ids("InstanceIds", vendorId);
        query.putArray("StatusList").add("UNDO");
        JsonNode document = api.read(Lane.SAFETY, region, "DescribeInstancesActionTimer", query);
        List<JsonNode> pending = new ArrayList<>();
        for (JsonNode timer : TencentPages.items(document, "ActionTimers")) {
            if (TencentMapper.text(timer.path("TimerAction")).equals("TerminateInstances")
                    && TencentMapper.text(timer.path("InstanceId")).equals(vendorId)) {
                pending.add(timer);
            }
        }
        return pending;
    }
}
