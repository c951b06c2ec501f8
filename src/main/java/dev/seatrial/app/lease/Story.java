package dev.seatrial.app.lease;

import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.provider.InstanceId;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;

/** What can be read from a lease's events. */
final class Story {
    private static final Set<String> INSTANCES =
            Set.of(LeaseEvent.ASKED, LeaseEvent.DUPLICATE, LeaseEvent.CREATED_LATE);

    private final List<LeaseEvent> events;

    Story(List<LeaseEvent> events) {
        this.events = events;
    }

    /** First look of the present run of absences. */
    Optional<Instant> firstAbsence() {
        Optional<Instant> first = Optional.empty();
        for (LeaseEvent e : events) {
            if (e.type().equals(LeaseEvent.PRESENT) || e.type().equals(LeaseEvent.CREATED)) {
                first = Optional.empty();
            } else if (e.type().equals(LeaseEvent.ABSENT) && first.isEmpty()) {
                first = Optional.of(e.at());
            }
        }
        return first;
    }

    Optional<Instant> lastOf(String type) {
        return events.stream()
                .filter(e -> e.type().equals(type))
                .reduce((a, b) -> b)
                .map(LeaseEvent::at);
    }

    /** Every instance that the lease is known to have had; more than one only by a vendor's doing. */
    Set<InstanceId> instances(LeaseRow row) {
        Set<InstanceId> seen = new LinkedHashSet<>();
        row.instance().ifPresent(seen::add);
        events.stream().filter(e -> INSTANCES.contains(e.type())).forEach(e -> seen.add(new InstanceId(e.detail())));
        return seen;
    }

    /** The price for one hour that the instance showed, when it was above the quote. */
    Optional<BigMoney> dearer() {
        return events.stream()
                .filter(e -> e.type().equals(LeaseEvent.DEARER))
                .findFirst()
                .map(e -> BigMoney.parse(e.detail()));
    }
}
