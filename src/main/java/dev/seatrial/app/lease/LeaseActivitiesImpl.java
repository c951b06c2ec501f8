package dev.seatrial.app.lease;

import dev.seatrial.app.provider.Providers;
import dev.seatrial.app.remote.LeaseKeys;
import dev.seatrial.app.remote.MachineProbe;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.SshEndpoint;
import dev.seatrial.workflow.CreateResult;
import dev.seatrial.workflow.LeaseActivities;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseOpening;
import dev.seatrial.workflow.LeaseOpening.Decision;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.ReadyResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.joda.money.BigMoney;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Vendor calls of one lease, each written to the ledger before and after. */
public final class LeaseActivitiesImpl implements LeaseActivities {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseActivitiesImpl.class);
    private static final Duration LEAST_POLL = Duration.ofSeconds(1);
    private static final int LEDGER_TRIES = 5;
    /** Event for a further instance under the lease's name; its detail is the id alone. */
    static final String DUPLICATE = "duplicate";
    /** Event for a price above the quote; its detail is that price for one hour alone. */
    static final String DEARER = "price-above-quote";

    private final Ledger ledger;
    private final Accounts accounts;
    private final LeaseKeys keys;
    private final MachineProbe probe;
    private final Releaser releaser;
    private final Function<String, Plan> plans;
    private final String owner;
    private final InstantSource clock;

    /**
     * @param plans the plan of an evaluation, by its id
     * @param owner this process, as ledger rows name it
     */
    public LeaseActivitiesImpl(
            Ledger ledger,
            Accounts accounts,
            LeaseKeys keys,
            MachineProbe probe,
            Releaser releaser,
            Function<String, Plan> plans,
            String owner,
            InstantSource clock) {
        this.ledger = ledger;
        this.accounts = accounts;
        this.keys = keys;
        this.probe = probe;
        this.releaser = releaser;
        this.plans = plans;
        this.owner = owner;
        this.clock = clock;
    }

    @Override
    public LeaseOpening open(LeaseRequest request) {
        Plan plan = plans.apply(request.key().evaluation());
        Capabilities traits = provider(request.offer().provider()).capabilities();
        Instant now = clock.instant();
        Duration needed = request.provisioning().plus(request.work());
        if (now.plus(needed).isAfter(request.notAfter())) {
            return new LeaseOpening(
                    Decision.NO_TIME,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "needs " + needed.toSeconds() + " s, the evaluation ends in "
                            + Duration.between(now, request.notAfter()).toSeconds() + " s");
        }
        LeaseTiming timing = LeaseTiming.plan(
                now, needed, request.notAfter(), traits, request.offer().pricing());
        BigMoney inPlan = plan.budget().convertUp(timing.reserved());
        LeaseIntent intent = new LeaseIntent(
                request.key(),
                request.offer(),
                request.gpus(),
                timing,
                inPlan,
                rate(plan.budget(), timing.reserved()),
                traits.borrowed());
        Grant grant = ledger.reserve(intent, owner);
        if (grant instanceof Grant.Granted granted) {
            LeaseRow row = granted.lease();
            return new LeaseOpening(
                    Decision.GRANTED,
                    Optional.of(handle(row)),
                    Optional.of(row.timing().deadline()),
                    Optional.of(row.timing().latestGone()),
                    "");
        }
        if (grant instanceof Grant.Refused refused) {
            return new LeaseOpening(
                    Decision.REFUSED,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    refusal(refused, inPlan, request.gpus()));
        }
        Grant.Later later = (Grant.Later) grant;
        return new LeaseOpening(
                Decision.LATER,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                later.keptForSingles() + " is kept for single phases that are not over");
    }

    private static String refusal(Grant.Refused refused, BigMoney needed, int gpus) {
        return switch (refused.cap()) {
            case "overrun" -> "the vendor has billed or may bill beyond its own rules: no new lease there";
            case "ended" -> "the evaluation is over";
            default ->
                "needs up to " + needed + " for " + gpus + " GPU; the cap of the " + refused.cap() + " is "
                        + refused.missing() + " short";
        };
    }

    @Override
    public CreateResult create(LeaseHandle lease, LeaseRequest request) {
        LeaseRow row = row(lease);
        if (row.state() != LeaseState.INTENDED) {
            return alreadyPast(row);
        }
        Provider provider = provider(row.provider());
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
        // Law 1: the row says CREATING before anything is sent; whoever releases meanwhile wins by the fence.
        Optional<LeaseRow> creating = ledger.move(
                row.id(),
                row.fence(),
                LeaseState.CREATING,
                LeaseChange.NONE.withSentAt(clock.instant()),
                "create is about to be sent",
                clock.instant());
        if (creating.isEmpty()) {
            return alreadyPast(row(lease));
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
                        Optional.empty(),
                        row.timing().deadline()));
        return record(creating.get(), outcome);
    }

    @Override
    public CreateResult resolve(LeaseHandle lease) {
        LeaseRow row = row(lease);
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
                    .orElseGet(() -> row(lease));
        }
        Provider provider = provider(row.provider());
        Duration gap = gap(provider.capabilities());
        LeaseRow wanted = row;
        List<Instance> ours = look(row.provider()).instances().stream()
                .filter(i -> i.name().equals(wanted.name().text())
                        || wanted.instance().filter(i.id()::equals).isPresent())
                .filter(i -> i.state().maybeBilling())
                .toList();
        Instant now = clock.instant();
        if (!ours.isEmpty()) {
            // More than one can only be a vendor's doing: keep one, the release by name takes all.
            InstanceId id = ours.get(0).id();
            for (Instance extra : ours.subList(1, ours.size())) {
                ledger.leaseEvent(row.id(), DUPLICATE, extra.id().value(), now);
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
                    : alreadyPast(row(lease));
        }
        Instant settled = row.sentAt().orElse(now).plus(provider.capabilities().settleWindow());
        Optional<Instant> first = ledger.leaseEvents(row.id()).stream()
                .filter(e -> e.type().equals("absent-seen"))
                .findFirst()
                .map(LeaseEvent::at);
        ledger.leaseEvent(row.id(), "absent-seen", "not in the vendor's list by name", now);
        boolean proven = first.map(f -> !f.plus(gap).isAfter(now)).orElse(false) && !settled.isAfter(now);
        if (!proven) {
            throw NotYet.after(gap, "outcome of the create still unknown");
        }
        String words = "the vendor never made it: absent at " + first.get() + " and " + now;
        boolean closed = moved(row, LeaseState.NOT_CREATED, LeaseChange.NONE.withNote(words), words, now);
        return closed
                ? new CreateResult(
                        CreateResult.Outcome.NOT_CREATED,
                        Optional.empty(),
                        Optional.of(ErrorKind.VENDOR_UNAVAILABLE),
                        words)
                : alreadyPast(row(lease));
    }

    @Override
    public ReadyResult awaitReady(LeaseHandle lease) {
        LeaseRow row = row(lease);
        if (row.state() == LeaseState.READY) {
            return new ReadyResult(row.endpoint(), "");
        }
        if (row.state() != LeaseState.PROVISIONING) {
            return new ReadyResult(Optional.empty(), "is " + row.state() + " already");
        }
        Provider provider = provider(row.provider());
        Duration gap = gap(provider.capabilities());
        InstanceId id = row.instance().orElseThrow(() -> NotYet.never("lease " + row.id() + " has no instance"));
        Optional<Instance> found = look(row.provider(), gap).instances().stream()
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
            ledger.leaseEvent(row.id(), DEARER, dearer.get().toString(), clock.instant());
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

    @Override
    public long releaseUntilGone(LeaseHandle lease, String reason) {
        ReleaseStep step = releaser.step(lease, reason);
        if (step instanceof ReleaseStep.Gone gone) {
            return gone.at().toEpochMilli();
        }
        ReleaseStep.NotYetGone later = (ReleaseStep.NotYetGone) step;
        throw NotYet.after(later.after(), later.why());
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
            provider(creating.provider()).release(id);
            ledger.leaseEvent(creating.id(), "created-late", id.value(), clock.instant());
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
                : alreadyPast(row(handle(row)));
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

    private AccountView.Snapshot look(ProviderId id) {
        return look(id, Duration.ZERO);
    }

    private AccountView.Snapshot look(ProviderId id, Duration age) {
        try {
            return age.isZero() ? accounts.view(id).fresh() : accounts.view(id).atMost(age);
        } catch (ProviderException e) {
            throw NotYet.unreachable(e.retryAfter().orElse(Duration.ofSeconds(3)), e.kind() + ": " + e.words());
        }
    }

    private Provider provider(ProviderId id) {
        try {
            return accounts.provider(id);
        } catch (Providers.ConfigException e) {
            throw NotYet.never(String.valueOf(e.getMessage()));
        }
    }

    private LeaseRow row(LeaseHandle lease) {
        return ledger.lease(lease.lease()).orElseThrow(() -> NotYet.never("the ledger has no lease " + lease.lease()));
    }

    /** The handle of a row, for whoever wants to release it. */
    public static LeaseHandle handle(LeaseRow row) {
        return new LeaseHandle(
                row.id(),
                row.provider().value(),
                row.name().text(),
                row.instance().map(InstanceId::value),
                row.endpoint());
    }

    private static Duration gap(Capabilities traits) {
        return traits.pollInterval().compareTo(LEAST_POLL) < 0 ? LEAST_POLL : traits.pollInterval();
    }

    private static String rate(Budget budget, BigMoney amount) {
        return amount.getCurrencyUnit().equals(budget.currency())
                ? "1"
                : Optional.ofNullable(budget.fx().get(amount.getCurrencyUnit().getCode()))
                        .map(BigDecimal::toPlainString)
                        .orElse("1");
    }
}
