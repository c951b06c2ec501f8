package dev.seatrial.app.lease;

import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Law 4: where the instances of a lease are. The one place that decides what is shown, and when absence is proven: two
 * complete lists, apart, show neither the name nor the id; the id itself is positively not found where it is known; and the
 * second look is not before the settle window after the last moment a create could have taken effect.
 */
final class Whereabouts {
    private static final Duration LEAST_GAP = Duration.ofSeconds(1);

    private final Ledger ledger;
    private final Accounts accounts;
    private final InstantSource clock;

    Whereabouts(Ledger ledger, Accounts accounts, InstantSource clock) {
        this.ledger = ledger;
        this.accounts = accounts;
        this.clock = clock;
    }

    /** What a look that showed nothing comes to. */
    sealed interface Absence {
        /** Gone, or never made: absent at {@code first} and at {@code last}. */
        record Proven(Instant first, Instant last) implements Absence {}

        /** Another look is needed, {@code after} from now at the earliest. */
        record NotProven(Duration after, String why) implements Absence {}
    }

    /**
     * Instances of this name, and the known one, that may be billing: by the complete list, and by id when the list has
     * none. Throws {@link ProviderException} when the vendor does not answer; never a partial answer.
     */
    List<Instance> shown(Provider provider, String name, Optional<InstanceId> known) {
        List<Instance> listed = accounts.view(provider.id()).fresh().instances().stream()
                .filter(i ->
                        i.name().equals(name) || known.filter(i.id()::equals).isPresent())
                .filter(i -> i.state().maybeBilling())
                .toList();
        return listed.isEmpty()
                ? known.flatMap(provider::get).filter(i -> i.state().maybeBilling()).stream()
                        .toList()
                : listed;
    }

    /** Writes down a look that showed nothing of this lease, and tells whether that proves it gone. */
    Absence absent(Provider provider, LeaseRow row) {
        Capabilities traits = provider.capabilities();
        Instant now = clock.instant();
        Optional<Instant> first = new Story(ledger.leaseEvents(row.id())).firstAbsence();
        Instant settled = row.sentAt().orElse(row.timing().requestedAt()).plus(traits.settleWindow());
        Instant second = first.orElse(now).plus(gap(traits));
        Instant possible = settled.isAfter(second) ? settled : second;
        if (first.isEmpty() || possible.isAfter(now)) {
            if (first.isEmpty()) {
                ledger.leaseEvent(row.id(), LeaseEvent.ABSENT, "in no list, and not found by id", now);
            }
            return new Absence.NotProven(
                    Duration.between(now, possible),
                    first.isEmpty() ? "absent once; looking again" : "absent; the settle window runs");
        }
        ledger.leaseEvent(row.id(), LeaseEvent.ABSENT, "in no list, and not found by id", now);
        return new Absence.Proven(first.get(), now);
    }

    /** The least time between two looks. */
    static Duration gap(Capabilities traits) {
        return traits.pollInterval().compareTo(LEAST_GAP) < 0 ? LEAST_GAP : traits.pollInterval();
    }
}
