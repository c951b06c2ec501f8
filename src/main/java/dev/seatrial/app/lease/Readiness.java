package dev.seatrial.app.lease;

import dev.seatrial.app.remote.MachineProbe;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.SshEndpoint;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.ReadyResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.joda.money.BigMoney;

/** Waits until one instance lets us in, or finds that it never will. */
final class Readiness {
    private final Ledger ledger;
    private final Lookup lookup;
    private final MachineProbe probe;
    private final InstantSource clock;

    Readiness(Ledger ledger, Lookup lookup, MachineProbe probe, InstantSource clock) {
        this.ledger = ledger;
        this.lookup = lookup;
        this.probe = probe;
        this.clock = clock;
    }

    /** Ready, or why it never will be. Not yet: throws {@link NotYet}. */
    ReadyResult await(LeaseHandle lease) {
        LeaseRow row = lookup.row(lease);
        if (row.state() == LeaseState.READY) {
            return new ReadyResult(row.endpoint(), "");
        }
        if (row.state() != LeaseState.PROVISIONING) {
            return new ReadyResult(Optional.empty(), "is " + row.state() + " already");
        }
        Provider provider = lookup.provider(row.provider());
        Duration gap = Whereabouts.gap(provider.capabilities());
        InstanceId id = row.instance().orElseThrow(() -> NotYet.never("lease " + row.id() + " has no instance"));
        Optional<Instance> found = lookup.list(row.provider(), gap).instances().stream()
                .filter(i -> i.id().equals(id))
                .findFirst();
        if (found.isEmpty()) {
            return missing(provider, row, id, gap);
        }
        Instance instance = found.get();
        if (instance.state().neverReady()) {
            return new ReadyResult(
                    Optional.empty(), "the vendor says " + instance.vendorState() + " before it was usable");
        }
        Optional<BigMoney> dearer = dearer(row, instance);
        if (dearer.isPresent()) {
            ledger.leaseEvent(row.id(), LeaseEvent.DEARER, dearer.get().toString(), clock.instant());
            return new ReadyResult(
                    Optional.empty(),
                    "billed at " + dearer.get() + " per hour, quoted "
                            + row.pricing().hourly());
        }
        if (instance.state() != InstanceState.RUNNING && instance.state() != InstanceState.BOOTING
                || instance.ssh().isEmpty()) {
            throw NotYet.after(gap, "the vendor says " + instance.vendorState());
        }
        return login(row, instance.ssh().get(), gap);
    }

    private ReadyResult login(LeaseRow row, SshEndpoint endpoint, Duration gap) {
        Optional<String> trouble = probe.check(row.provider().value(), row.id(), endpoint);
        if (trouble.isPresent()) {
            throw NotYet.unreachable(gap, "SSH does not let us in yet: " + trouble.get());
        }
        Instant now = clock.instant();
        Optional<LeaseRow> ready = ledger.move(
                row.id(),
                row.fence(),
                LeaseState.READY,
                LeaseChange.NONE.withEndpoint(endpoint).withReadyAt(now),
                "SSH lets us in",
                now);
        return ready.isPresent()
                ? new ReadyResult(Optional.of(endpoint), "")
                : new ReadyResult(Optional.empty(), "somebody else released it");
    }

    private ReadyResult missing(Provider provider, LeaseRow row, InstanceId id, Duration gap) {
        boolean settled = row.sentAt()
                .map(s -> s.plus(provider.capabilities().settleWindow()).isBefore(clock.instant()))
                .orElse(true);
        if (settled && provider.get(id).isEmpty()) {
            return new ReadyResult(Optional.empty(), "the vendor no longer knows the instance");
        }
        throw NotYet.after(gap, "not in the vendor's list yet");
    }

    /** The price on the instance itself, when it is above the quote. */
    private static Optional<BigMoney> dearer(LeaseRow row, Instance instance) {
        return instance.hourly()
                .filter(p -> p.getCurrencyUnit().equals(row.pricing().hourly().getCurrencyUnit()))
                .filter(p -> p.isGreaterThan(row.pricing().hourly()));
    }
}
