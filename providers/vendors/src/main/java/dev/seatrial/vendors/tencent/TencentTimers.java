package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.DeadlineOutcome;
import dev.seatrial.vendors.http.Lane;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

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
        ObjectNode query = TencentLeftovers.ids("InstanceIds", vendorId);
        query.putArray("StatusList").add("UNDO");
        JsonNode document = api.read(Lane.SAFETY, region, "DescribeInstancesActionTimer", query);
        Optional<Instant> nearest = Optional.empty();
        for (JsonNode timer : TencentPages.items(document, "ActionTimers")) {
            boolean ends = TencentMapper.text(timer.path("TimerAction")).equals("TerminateInstances")
                    && TencentMapper.text(timer.path("InstanceId")).equals(vendorId);
            Optional<Instant> at = TencentMapper.time(timer.path("ActionTime")).filter(t -> ends);
            nearest = Stream.concat(nearest.stream(), at.stream()).min(Comparator.naturalOrder());
        }
        return nearest;
    }
}
