package dev.seatrial.app.lease;

import dev.seatrial.app.remote.LeaseKeys;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.SpendingStop;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.workflow.CreateResult;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.NotYet;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Laws 1 and 3 for one lease: sends its create once, writes down what came of it, and finds out when no answer came. */
final class Creation {
    private static final Logger LOG = LoggerFactory.getLogger(Creation.class);
    private static final int LEDGER_TRIES = 5;

    private final Ledger ledger;
    private final Lookup lookup;
    private final Whereabouts whereabouts;
    private final LeaseKeys keys;
    private final InstantSource clock;

    Creation(Ledger ledger, Lookup lookup, Whereabouts whereabouts, LeaseKeys keys, InstantSource clock) {
        this.ledger = ledger;
        this.lookup = lookup;
        this.whereabouts = whereabouts;
        this.keys = keys;
        this.clock = clock;
    }

    /** Sends the create, or tells what has become of it when it was sent before. */
    CreateResult create(LeaseHandle lease, LeaseRequest request) {
        LeaseRow row = lookup.row(lease);
        if (row.state() != LeaseState.INTENDED) {
            return alreadyPast(row);
        }
        Provider provider = lookup.provider(row.provider());
        PublicKey publicKey = keys.publicKey(row.id());
        KeyRef key;
        try {
            key = provider.ensureSshKey(row.name(), publicKey);
        } catch (ProviderException e) {
            return refuse(row, e.kind(), e.words());
        }
        if (!clock.instant().isBefore(row.timing().deadline())) {
            return refuse(row, ErrorKind.CONFLICT_STATE, "its deadline passed before the create was sent");
        }
        // After the row was committed, so that whoever stops spending either sees the row or is seen here.
        Optional<SpendingStop> stop = ledger.spendingStopped();
        if (stop.isPresent()) {
            return refuse(row, ErrorKind.CONFLICT_STATE, stopped(stop.get()));
        }
        // Law 1: the row says CREATING before anything is sent; whoever releases meanwhile wins by the fence.
        Optional<LeaseRow> creating = ledger.move(
                row.id(),
                row.fence(),
                LeaseState.CREATING,
                LeaseChange.NONE.withSentAt(clock.instant()),
                "create is about to be sent",
                clock.instant());
        if (creating.isEmpty()) {
            return alreadyPast(lookup.row(lease));
        }
        CreateOutcome outcome = send(
                provider,
                new CreateRequest(
                        row.name(),
                        row.token(),
                        new OfferId(row.offer()),
                        request.image(),
                        key,
                        publicKey,
                        watchdog(provider.capabilities(), row),
                        row.timing().deadline()));
        return record(creating.get(), outcome);
    }

    private static Optional<String> watchdog(Capabilities traits, LeaseRow row) {
        return traits.shutdownEndsBill()
                ? Optional.of(
                        Watchdog.script(row.timing().requestedAt(), row.timing().deadline(), traits.provisioning()))
                : Optional.empty();
    }

    static String stopped(SpendingStop stop) {
        return "spending is stopped since " + stop.at() + " (" + stop.who()
                + "); 'seatrial resume-spending' permits it again";
    }

    /** Adopts what a create with no clear answer has made, or proves that it made nothing. Not known yet: throws {@link NotYet}. */
    CreateResult resolve(LeaseHandle lease) {
        LeaseRow row = lookup.row(lease);
        if (row.state() != LeaseState.SUSPECT && row.state() != LeaseState.CREATING) {
            return alreadyPast(row);
        }
        if (row.state() == LeaseState.CREATING) {
            // The call neither answered nor was written down; it can have taken effect until now.
            row = ledger.move(
                            row.id(),
                            row.fence(),
                            LeaseState.SUSPECT,
                            LeaseChange.NONE.withSentAt(clock.instant()),
                            "the create never came back",
                            clock.instant())
                    .orElseGet(() -> lookup.row(lease));
        }
        Provider provider = lookup.provider(row.provider());
        List<Instance> ours = lookup.asked(() ->
                whereabouts.shown(provider, lease.name(), lookup.row(lease).instance()));
        return ours.isEmpty() ? neverMade(provider, row) : adopt(provider, row, ours);
    }

    private CreateResult adopt(Provider provider, LeaseRow row, List<Instance> ours) {
        Instant now = clock.instant();
        // More than one can only be a vendor's doing: keep one, the release by name takes all.
        InstanceId id = ours.get(0).id();
        for (Instance extra : ours.subList(1, ours.size())) {
            ledger.leaseEvent(row.id(), LeaseEvent.DUPLICATE, extra.id().value(), now);
            provider.release(extra.id());
        }
        Optional<LeaseRow> adopted = ledger.move(
                row.id(),
                row.fence(),
                LeaseState.PROVISIONING,
                LeaseChange.NONE.withInstance(id),
                "adopted by name: " + id,
                now);
        return adopted.isPresent()
                ? new CreateResult(CreateResult.Outcome.CREATED, Optional.of(id.value()), Optional.empty(), "")
                : alreadyPast(lookup.row(row.id()));
    }

    private CreateResult neverMade(Provider provider, LeaseRow row) {
        Whereabouts.Absence absence = whereabouts.absent(provider, row);
        if (absence instanceof Whereabouts.Absence.NotProven unsure) {
            throw NotYet.after(
                    Whereabouts.gap(provider.capabilities()), "outcome of the create still unknown: " + unsure.why());
        }
        Whereabouts.Absence.Proven proven = (Whereabouts.Absence.Proven) absence;
        String words = "the vendor never made it: absent at " + proven.first() + " and " + proven.last();
        boolean closed = moved(row, LeaseState.NOT_CREATED, LeaseChange.NONE.withNote(words), words, proven.last());
        return closed
                ? new CreateResult(
                        CreateResult.Outcome.NOT_CREATED,
                        Optional.empty(),
                        Optional.of(ErrorKind.VENDOR_UNAVAILABLE),
                        words)
                : alreadyPast(lookup.row(row.id()));
    }

    private CreateOutcome send(Provider provider, CreateRequest request) {
        try {
            return provider.create(request);
        } catch (ProviderException e) {
            return new CreateOutcome.Unknown(e.kind() + ": " + e.words(), Optional.empty());
        } catch (IllegalStateException | IllegalArgumentException | NullPointerException | ClassCastException e) {
            // A bug in an adapter after the request was sent must not look like a refusal.
            return new CreateOutcome.Unknown("the adapter failed: " + e, Optional.empty());
        }
    }

    private CreateResult record(LeaseRow creating, CreateOutcome outcome) {
        Instant now = clock.instant();
        if (outcome instanceof CreateOutcome.Created created) {
            String id = created.id().value();
            if (moved(
                    creating,
                    LeaseState.PROVISIONING,
                    LeaseChange.NONE.withInstance(created.id()),
                    "created " + id,
                    now)) {
                return new CreateResult(CreateResult.Outcome.CREATED, Optional.of(id), Optional.empty(), "");
            }
            return unwanted(creating, created.id())
                    ? new CreateResult(
                            CreateResult.Outcome.REFUSED_WITH_ID,
                            Optional.of(id),
                            Optional.of(ErrorKind.CONFLICT_STATE),
                            "released meanwhile")
                    : new CreateResult(
                            CreateResult.Outcome.SUSPECT,
                            Optional.of(id),
                            Optional.empty(),
                            "created, but the ledger does not answer");
        }
        if (outcome instanceof CreateOutcome.NotCreated no) {
            if (no.id().isPresent()) {
                LeaseChange change =
                        LeaseChange.NONE.withInstance(no.id().get()).withNote(no.words());
                moved(creating, LeaseState.SUSPECT, change, "refused with an id: " + no.words(), now);
                return new CreateResult(
                        CreateResult.Outcome.REFUSED_WITH_ID,
                        no.id().map(InstanceId::value),
                        Optional.of(no.kind()),
                        no.words());
            }
            boolean closed = moved(
                    creating,
                    LeaseState.NOT_CREATED,
                    LeaseChange.NONE.withNote(no.kind() + ": " + no.words()),
                    no.kind() + ": " + no.words(),
                    now);
            return new CreateResult(
                    closed ? CreateResult.Outcome.NOT_CREATED : CreateResult.Outcome.REFUSED_WITH_ID,
                    Optional.empty(),
                    Optional.of(no.kind()),
                    no.words());
        }
        CreateOutcome.Unknown unknown = (CreateOutcome.Unknown) outcome;
        LeaseChange change = LeaseChange.NONE.withSentAt(now).withNote(unknown.why());
        moved(
                creating,
                LeaseState.SUSPECT,
                unknown.id().map(change::withInstance).orElse(change),
                unknown.why(),
                now);
        return new CreateResult(
                CreateResult.Outcome.SUSPECT, unknown.id().map(InstanceId::value), Optional.empty(), unknown.why());
    }

    /**
     * Whether somebody has given the lease up while its create was under way. Its proof of absence may already be written, so
     * nobody else would ask for the instance before the sweep finds it.
     */
    private boolean unwanted(LeaseRow creating, InstanceId id) {
        try {
            LeaseState state = ledger.lease(creating.id()).map(LeaseRow::state).orElse(LeaseState.NOT_CREATED);
            if (!state.terminal() && state != LeaseState.RELEASING && state != LeaseState.OVERDUE) {
                return false;
            }
            lookup.provider(creating.provider()).release(id);
            ledger.leaseEvent(creating.id(), LeaseEvent.CREATED_LATE, id.value(), clock.instant());
            return true;
        } catch (ProviderException e) {
            LOG.warn("instance {} came after its lease was given up; the sweep takes it: {}", id, e.words());
            return true;
        } catch (LedgerException e) {
            return false;
        }
    }

    /** Writes what the vendor answered, with a few tries: the answer is worth more than this process's patience. */
    private boolean moved(LeaseRow from, LeaseState to, LeaseChange change, String detail, Instant now) {
        for (int i = 1; ; i++) {
            try {
                boolean written = ledger.move(from.id(), from.fence(), to, change, detail, now)
                        .isPresent();
                if (written && to == LeaseState.NOT_CREATED) {
                    keys.forget(from.id());
                }
                return written;
            } catch (LedgerException e) {
                if (i == LEDGER_TRIES) {
                    // The workflow still learns the id from the result and releases by it.
                    return false;
                }
            }
        }
    }

    private CreateResult refuse(LeaseRow row, ErrorKind kind, String words) {
        boolean closed = moved(
                row,
                LeaseState.NOT_CREATED,
                LeaseChange.NONE.withNote(kind + ": " + words),
                kind + ": " + words,
                clock.instant());
        return closed
                ? new CreateResult(CreateResult.Outcome.NOT_CREATED, Optional.empty(), Optional.of(kind), words)
                : alreadyPast(lookup.row(row.id()));
    }

    private static CreateResult alreadyPast(LeaseRow row) {
        Optional<String> id = row.instance().map(InstanceId::value);
        return switch (row.state()) {
            case PROVISIONING, READY -> new CreateResult(CreateResult.Outcome.CREATED, id, Optional.empty(), "");
            case NOT_CREATED ->
                new CreateResult(
                        CreateResult.Outcome.NOT_CREATED, id, Optional.of(ErrorKind.CONFLICT_STATE), row.note());
            case RELEASING, OVERDUE, RELEASED, HANDED_BACK ->
                new CreateResult(
                        CreateResult.Outcome.REFUSED_WITH_ID, id, Optional.of(ErrorKind.CONFLICT_STATE), row.note());
            case INTENDED, CREATING, SUSPECT ->
                new CreateResult(CreateResult.Outcome.SUSPECT, id, Optional.empty(), row.note());
        };
    }
}
