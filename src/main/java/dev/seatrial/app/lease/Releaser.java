package dev.seatrial.app.lease;

import dev.seatrial.app.remote.LeaseKeys;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.workflow.LeaseHandle;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases one lease and proves it gone (laws 3, 4, 6). Each call is one step; the caller repeats it until
 * {@link ReleaseStep.Gone}. Goes by name and id, so it works while the ledger is away; only closing the row needs it.
 * What counts as gone is decided by {@link Whereabouts}.
 */
public final class Releaser {
    private static final Logger LOG = LoggerFactory.getLogger(Releaser.class);
    private static final Duration LEAST_GAP = Duration.ofSeconds(1);
    private static final Duration ASK_AGAIN = Duration.ofSeconds(30);
    private static final Duration VENDOR_AWAY = Duration.ofSeconds(5);
    private static final Duration BORROWED_PATIENCE = Duration.ofMinutes(10);

    private final Ledger ledger;
    private final Accounts accounts;
    private final LeaseKeys keys;
    private final HandBack handBack;
    private final LeaseCost costs;
    private final Whereabouts whereabouts;
    private final InstantSource clock;

    public Releaser(Ledger ledger, Accounts accounts, LeaseKeys keys, HandBack handBack, InstantSource clock) {
        this.ledger = ledger;
        this.accounts = accounts;
        this.keys = keys;
        this.handBack = handBack;
        this.costs = new LeaseCost();
        this.whereabouts = new Whereabouts(ledger, accounts, clock);
        this.clock = clock;
    }

    /** Takes one step. Never throws for what a vendor, a machine or the ledger does. */
    public ReleaseStep step(LeaseHandle handle, String reason) {
        Optional<LeaseRow> row = Optional.empty();
        String ledgerTrouble = "";
        try {
            row = beginRelease(handle, reason);
            if (row.isPresent() && row.get().state().terminal()) {
                return new ReleaseStep.Gone(row.get().releasedAt().orElseGet(clock::instant));
            }
        } catch (LedgerException e) {
            // Law 6: the release goes on by name and id; the row is written when the ledger answers.
            ledgerTrouble = "; the ledger does not answer: " + e.getMessage();
            LOG.warn("release of {} goes on without the ledger: {}", handle.name(), e.getMessage());
        }
        try {
            Provider provider = accounts.provider(new ProviderId(handle.provider()));
            ReleaseStep step =
                    provider.capabilities().borrowed() ? giveBack(handle, row) : releaseAndLook(provider, handle, row);
            return withTrouble(step, ledgerTrouble);
        } catch (ProviderException e) {
            Duration after = e.retryAfter().orElse(VENDOR_AWAY);
            return notYet(row, after, e.kind() + ": " + e.words() + ledgerTrouble);
        } catch (LedgerException e) {
            return notYet(row, VENDOR_AWAY, "the ledger does not answer: " + e.getMessage());
        } catch (dev.seatrial.app.provider.Providers.ConfigException e) {
            return notYet(row, ASK_AGAIN, String.valueOf(e.getMessage()));
        }
    }

    /** Marks the row RELEASING; a lease for which nothing was sent becomes NOT_CREATED at once. */
    private Optional<LeaseRow> beginRelease(LeaseHandle handle, String reason) {
        for (int tries = 0; tries < 10; tries++) {
            Optional<LeaseRow> found = ledger.lease(handle.lease());
            if (found.isEmpty()) {
                return found;
            }
            LeaseRow row = found.get();
            if (row.state().terminal() || row.state() == LeaseState.RELEASING || row.state() == LeaseState.OVERDUE) {
                return found;
            }
            boolean nothingSent = row.state() == LeaseState.INTENDED;
            LeaseChange change = LeaseChange.NONE.withNote(reason);
            if (row.state() == LeaseState.CREATING) {
                // Its answer was never written: whoever sent it is dead or has given up, but only as of now.
                change = change.withSentAt(clock.instant());
            }
            Optional<LeaseRow> moved = ledger.move(
                    row.id(),
                    row.fence(),
                    nothingSent ? LeaseState.NOT_CREATED : LeaseState.RELEASING,
                    change,
                    nothingSent ? "nothing was sent: " + reason : reason,
                    clock.instant());
            if (moved.isPresent()) {
                if (nothingSent) {
                    keys.forget(row.id());
                }
                return moved;
            }
        }
        return ledger.lease(handle.lease());
    }

    private ReleaseStep releaseAndLook(Provider provider, LeaseHandle handle, Optional<LeaseRow> begun) {
        Optional<LeaseRow> row = begun;
        Capabilities traits = provider.capabilities();
        Story story = new Story(row.isPresent() ? ledger.leaseEvents(handle.lease()) : List.of());
        Optional<Instant> asked = story.lastOf(LeaseEvent.ASKED);
        // The id is known: ask for its deletion before looking around, so that the bill stops as early as it can.
        Optional<InstanceId> known =
                row.flatMap(LeaseRow::instance).or(() -> handle.instance().map(InstanceId::new));
        List<String> words = new ArrayList<>();
        Duration wait = Whereabouts.gap(traits);
        if (known.isPresent() && asked.isEmpty()) {
            wait = longer(wait, ask(provider, known.get(), row, words));
            row = noted(row, known.get());
        }
        List<Instance> present = whereabouts.shown(provider, handle.name(), known);
        if (!present.isEmpty()) {
            for (Instance instance : present) {
                boolean alreadyAsked = known.filter(instance.id()::equals).isPresent() && asked.isEmpty();
                boolean waitsForVendor = instance.state() == InstanceState.RELEASING
                        && asked.map(a -> a.plus(ASK_AGAIN).isAfter(clock.instant()))
                                .orElse(false);
                if (!alreadyAsked && !waitsForVendor) {
                    wait = longer(wait, ask(provider, instance.id(), row, words));
                }
            }
            row = noted(row, known.orElse(present.get(0).id()));
            // Only what follows absence counts as proof; one mark is enough until it is absent again.
            if (story.firstAbsence().isPresent()) {
                event(
                        row,
                        LeaseEvent.PRESENT,
                        present.stream().map(i -> i.id().value()).toList().toString());
            }
            words.add("the vendor still shows it");
            return notYet(row, wait, String.join("; ", words));
        }
        if (row.isEmpty()) {
            // Without a row there is nothing to close; whoever asks counts the looks itself.
            return notYet(row, wait, "absent, but there is no ledger row to close");
        }
        return prove(provider, row.get(), wait);
    }

    /** The row with what a release needs to be told of it: which instance, and since when we ask. */
    private Optional<LeaseRow> noted(Optional<LeaseRow> row, InstanceId id) {
        if (row.isEmpty()
                || row.get().instance().isPresent()
                        && row.get().releaseAskedAt().isPresent()) {
            return row;
        }
        LeaseRow r = row.get();
        LeaseChange change = r.instance().isPresent() ? LeaseChange.NONE : LeaseChange.NONE.withInstance(id);
        if (r.releaseAskedAt().isEmpty()) {
            change = change.withReleaseAskedAt(clock.instant());
        }
        return ledger.move(r.id(), r.fence(), r.state(), change, "asked the vendor to release " + id, clock.instant())
                .or(() -> ledger.lease(r.id()));
    }

    private ReleaseStep prove(Provider provider, LeaseRow row, Duration wait) {
        Whereabouts.Absence absence = whereabouts.absent(provider, row);
        if (absence instanceof Whereabouts.Absence.NotProven unsure) {
            return notYet(Optional.of(row), longer(wait, unsure.after()), unsure.why());
        }
        Whereabouts.Absence.Proven proven = (Whereabouts.Absence.Proven) absence;
        Story story = new Story(ledger.leaseEvents(row.id()));
        Set<InstanceId> seen = story.instances(row);
        boolean existed = !seen.isEmpty();
        LeaseCost.Closing closing = costs.close(provider, row, seen, story.dearer(), proven.first());
        Optional<LeaseRow> closed = ledger.move(
                row.id(),
                row.fence(),
                existed ? LeaseState.RELEASED : LeaseState.NOT_CREATED,
                LeaseChange.NONE.closed(proven.first(), closing.cost(), closing.inPlan(), closing.overrun()),
                (existed ? "proven gone" : "never seen") + ": absent at " + proven.first() + " and " + proven.last(),
                proven.last());
        if (closed.isEmpty()) {
            return notYet(Optional.of(row), LEAST_GAP, "somebody else moved the row");
        }
        closing.difference().ifPresent(words -> event(Optional.of(row), LeaseEvent.COST_DIFFERS, words));
        leftovers(provider, row);
        keys.forget(row.id());
        return new ReleaseStep.Gone(proven.first());
    }

    /** Keys, volumes and addresses under the same name; what fails here stays for the sweep. */
    private void leftovers(Provider provider, LeaseRow row) {
        try {
            for (DependentResource r : provider.dependentResources()) {
                if (r.name().equals(row.name().text())) {
                    provider.release(r);
                }
            }
        } catch (ProviderException e) {
            event(Optional.of(row), "leftovers", e.kind() + ": " + e.words());
        }
    }

    private ReleaseStep giveBack(LeaseHandle handle, Optional<LeaseRow> row) {
        Optional<String> left = handBack.tryClean(handle);
        Instant now = clock.instant();
        boolean patient = row.map(r -> now.isBefore(new Story(ledger.leaseEvents(r.id()))
                        .lastOf("releasing")
                        .orElse(now)
                        .plus(BORROWED_PATIENCE)))
                .orElse(false);
        if (left.isPresent() && patient) {
            return notYet(row, VENDOR_AWAY, left.get());
        }
        if (row.isEmpty()) {
            return notYet(row, VENDOR_AWAY, "no ledger row to close");
        }
        LeaseRow r = row.get();
        LeaseCost.Closing closing = costs.handBack(r, now);
        String words = left.map(l -> "could not be cleaned, please check the machine: " + l)
                .orElse("our load, files and keys are gone");
        Optional<LeaseRow> closed = ledger.move(
                r.id(),
                r.fence(),
                LeaseState.HANDED_BACK,
                LeaseChange.NONE
                        .closed(now, closing.cost(), closing.inPlan(), closing.overrun())
                        .withNote(words),
                words,
                now);
        keys.forget(r.id());
        return closed.isPresent() ? new ReleaseStep.Gone(now) : notYet(row, LEAST_GAP, "somebody else moved the row");
    }

    /** Sends one release. @return how long to wait before the next look */
    private Duration ask(Provider provider, InstanceId id, Optional<LeaseRow> row, List<String> words) {
        ReleaseOutcome outcome = provider.release(id);
        Duration wait = Duration.ZERO;
        if (outcome instanceof ReleaseOutcome.Accepted) {
            event(row, LeaseEvent.ASKED, id.value());
        } else if (outcome instanceof ReleaseOutcome.AlreadyGone) {
            event(row, LeaseEvent.ASKED, id.value());
            event(row, "already-gone", "the vendor knows no instance " + id);
        } else if (outcome instanceof ReleaseOutcome.RetryLater later) {
            event(row, LeaseEvent.REFUSED, later.why());
            words.add(later.why());
            wait = later.after();
        } else if (outcome instanceof ReleaseOutcome.Failed failed) {
            event(row, LeaseEvent.REFUSED, failed.kind() + ": " + failed.words());
            words.add(failed.kind() + ": " + failed.words());
            wait = VENDOR_AWAY;
        }
        return wait;
    }

    private ReleaseStep notYet(Optional<LeaseRow> row, Duration after, String why) {
        boolean overdue =
                row.map(r -> clock.instant().isAfter(r.timing().latestGone())).orElse(false);
        if (overdue && row.get().state() == LeaseState.RELEASING) {
            try {
                ledger.move(
                        row.get().id(), row.get().fence(), LeaseState.OVERDUE, LeaseChange.NONE, why, clock.instant());
            } catch (LedgerException e) {
                LOG.warn("could not mark {} overdue: {}", row.get().name(), e.getMessage());
            }
            LOG.error(
                    "lease {} of {} is overdue and may bill: {}",
                    row.get().id(),
                    row.get().provider(),
                    why);
        }
        Duration floor = after.compareTo(LEAST_GAP) < 0 ? LEAST_GAP : after;
        return new ReleaseStep.NotYetGone(floor.compareTo(ASK_AGAIN) > 0 ? ASK_AGAIN : floor, why, overdue);
    }

    private static ReleaseStep withTrouble(ReleaseStep step, String trouble) {
        return step instanceof ReleaseStep.NotYetGone n && !trouble.isEmpty()
                ? new ReleaseStep.NotYetGone(n.after(), n.why() + trouble, n.overdue())
                : step;
    }

    private void event(Optional<LeaseRow> row, String type, String detail) {
        row.ifPresent(r -> ledger.leaseEvent(r.id(), type, detail, clock.instant()));
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
