package dev.seatrial.app.sweep;

import dev.seatrial.app.lease.Accounts;
import dev.seatrial.app.lease.LeaseActivitiesImpl;
import dev.seatrial.app.lease.ReleaseStep;
import dev.seatrial.app.lease.Releaser;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.app.sweep.SweepLine.Action;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.ReleaseOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round over vendor accounts. Starts from the vendor's list, read before the ledger, so that a lease created
 * meanwhile is not taken for an orphan. What it cannot parse it never touches. Before its deadline it releases only names
 * of its own installation that a readable ledger has closed, or does not know and the vendor shows to be older than the
 * grace age; anything else only after deadline + margin.
 */
public final class Sweep {
    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    /** An instance of ours that the ledger does not know may be this young: its row may be on its way. */
    public static final Duration GRACE = Duration.ofMinutes(10);
    /** Added to the deadline in a name when nothing but the name speaks. */
    public static final Duration MARGIN = Duration.ofMinutes(2);
    /** A clock that differs from the vendor's by more is not trusted; the vendor's is used. */
    public static final Duration MOST_SKEW = Duration.ofSeconds(60);

    private final Providers providers;
    private final Accounts accounts;
    private final Optional<Ledger> ledger;
    private final Optional<Releaser> releaser;
    private final InstantSource clock;

    /** @param ledger empty when it is locked, broken or lost: the sweep then works from names and deadlines alone */
    public Sweep(
            Providers providers,
            Accounts accounts,
            Optional<Ledger> ledger,
            Optional<Releaser> releaser,
            InstantSource clock) {
        this.providers = providers;
        this.accounts = accounts;
        this.ledger = ledger;
        this.releaser = releaser;
        this.clock = clock;
    }

    /**
     * One round.
     *
     * @param only accounts to look at; empty for all
     * @param dryRun only say what would be done
     * @return a line for everything of ours that was seen, in order of accounts; an account that could not be read is TROUBLE
     */
    public List<SweepLine> round(Set<ProviderId> only, boolean dryRun) {
        List<SweepLine> lines = new ArrayList<>();
        for (ProviderId id : providers.names()) {
            if (!only.isEmpty() && !only.contains(id)) {
                continue;
            }
            try {
                Provider provider = accounts.provider(id);
                if (!provider.capabilities().borrowed()) {
                    account(provider, dryRun, lines);
                }
            } catch (ProviderException e) {
                lines.add(new SweepLine(
                        id.value(),
                        "account",
                        "",
                        "",
                        hopeless(e) ? Action.UNSEEN : Action.TROUBLE,
                        e.kind() + ": " + e.words()));
            } catch (Providers.ConfigException e) {
                lines.add(new SweepLine(id.value(), "account", "", "", Action.UNSEEN, String.valueOf(e.getMessage())));
            } catch (RuntimeException e) {
                // A bug in one adapter must not keep the other accounts from being swept.
                LOG.error("sweep of {} failed", id, e);
                lines.add(new SweepLine(id.value(), "account", "", "", Action.TROUBLE, "a bug of ours: " + e));
            }
        }
        return lines;
    }

    /** A key that is wrong stays wrong. */
    private static boolean hopeless(ProviderException e) {
        return e.kind() == ErrorKind.AUTH || e.kind() == ErrorKind.PERMISSION;
    }

    private void account(Provider provider, boolean dryRun, List<SweepLine> lines) {
        List<Instance> seen = accounts.view(provider.id()).fresh().instances();
        Known known = readLedger(provider.id());
        Instant now = vendorTime(provider, lines);
        Set<String> names = new HashSet<>();
        for (Instance i : seen) {
            Optional<LeaseName> name = LeaseName.parse(i.name());
            if (name.isEmpty() || !i.state().maybeBilling()) {
                continue;
            }
            names.add(i.name());
            Decision decision = decide(name.get(), i, known, now);
            lines.add(
                    decision.release() && !dryRun
                            ? release(provider, i, known, decision.why())
                            : new SweepLine(
                                    provider.id().value(),
                                    "instance",
                                    i.id().value(),
                                    i.name(),
                                    decision.release() ? Action.RELEASE : Action.KEEP,
                                    decision.why()));
        }
        for (LeaseRow row : known.open()) {
            if (!names.contains(row.name().text()) && pastDeadline(row.name(), now, Duration.ZERO)) {
                lines.add(close(row, dryRun));
            }
        }
        leftovers(provider, known, now, dryRun, lines);
    }

    private record Known(boolean readable, String installation, Map<String, LeaseRow> rows) {
        List<LeaseRow> open() {
            return rows.values().stream().filter(r -> !r.state().terminal()).toList();
        }
    }

    private record Decision(boolean release, String why) {}

    private Known readLedger(ProviderId provider) {
        if (ledger.isEmpty()) {
            return new Known(false, "", Map.of());
        }
        try {
            Map<String, LeaseRow> rows = new java.util.LinkedHashMap<>();
            ledger.get().leasesByName().forEach((name, row) -> {
                if (row.provider().equals(provider)) {
                    rows.put(name, row);
                }
            });
            // An empty ledger has lost its memory or never had one: it must not call anything an orphan.
            return new Known(!rows.isEmpty(), ledger.get().installation(), rows);
        } catch (LedgerException e) {
            return new Known(false, "", Map.of());
        }
    }

    private Decision decide(LeaseName name, Instance instance, Known known, Instant now) {
        boolean own = known.readable() && name.installation().equals(known.installation());
        if (!own) {
            boolean past = pastDeadline(name, now, MARGIN);
            String whose = known.readable() ? "another installation's" : "not known to a readable ledger";
            return new Decision(
                    past, whose + (past ? ", past its deadline " + name.deadline() : ", due " + name.deadline()));
        }
        Optional<LeaseRow> row = Optional.ofNullable(known.rows().get(name.text()));
        if (row.isEmpty()) {
            boolean old =
                    instance.createdAt().map(c -> c.plus(GRACE).isBefore(now)).orElse(false);
            boolean past = pastDeadline(name, now, MARGIN);
            return new Decision(
                    old || past, old || past ? "orphan: the ledger has no such lease" : "too young to call an orphan");
        }
        if (row.get().state().terminal()) {
            return new Decision(true, "orphan: its lease is " + row.get().state() + " in the ledger");
        }
        boolean past = pastDeadline(name, now, Duration.ZERO);
        return new Decision(
                past,
                "lease " + row.get().id() + " is " + row.get().state() + (past ? ", past its deadline " : ", due ")
                        + name.deadline());
    }

    private static boolean pastDeadline(LeaseName name, Instant now, Duration margin) {
        return now.isAfter(name.deadline().plus(margin));
    }

    private SweepLine release(Provider provider, Instance instance, Known known, String why) {
        Optional<LeaseRow> row = Optional.ofNullable(known.rows().get(instance.name()))
                .filter(r -> !r.state().terminal());
        if (row.isPresent() && releaser.isPresent()) {
            return step(row.get(), "instance", instance.id().value());
        }
        Action action = Action.RELEASE;
        String words = why;
        ReleaseOutcome outcome;
        try {
            outcome = provider.release(instance.id());
        } catch (ProviderException e) {
            // One that cannot be released must not keep the others.
            outcome = new ReleaseOutcome.Failed(e.kind(), e.words());
        }
        if (outcome instanceof ReleaseOutcome.RetryLater later) {
            action = Action.TROUBLE;
            words = why + "; refused for now: " + later.why();
        } else if (outcome instanceof ReleaseOutcome.Failed failed) {
            action = Action.TROUBLE;
            words = why + "; refused: " + failed.kind() + ": " + failed.words();
        }
        audit("orphan", provider.id() + "/" + instance.id() + ": " + words);
        return new SweepLine(provider.id().value(), "instance", instance.id().value(), instance.name(), action, words);
    }

    private SweepLine close(LeaseRow row, boolean dryRun) {
        return dryRun || releaser.isEmpty()
                ? new SweepLine(
                        row.provider().value(),
                        "lease",
                        "",
                        row.name().text(),
                        Action.RELEASE,
                        "lease is " + row.state() + " past its deadline, absent from the vendor's list")
                : step(row, "lease", "");
    }

    private SweepLine step(LeaseRow row, String what, String id) {
        ReleaseStep step = releaser.orElseThrow().step(LeaseActivitiesImpl.handle(row), "sweep: past its deadline");
        if (step instanceof ReleaseStep.Gone gone) {
            return new SweepLine(
                    row.provider().value(), what, id, row.name().text(), Action.GONE, "proven gone at " + gone.at());
        }
        ReleaseStep.NotYetGone later = (ReleaseStep.NotYetGone) step;
        return new SweepLine(
                row.provider().value(),
                what,
                id,
                row.name().text(),
                later.overdue() ? Action.TROUBLE : Action.RELEASE,
                later.why());
    }

    private void leftovers(Provider provider, Known known, Instant now, boolean dryRun, List<SweepLine> lines) {
        for (DependentResource r : provider.dependentResources()) {
            Optional<LeaseName> name = LeaseName.parse(r.name());
            if (name.isEmpty()) {
                continue;
            }
            boolean closed = Optional.ofNullable(known.rows().get(r.name()))
                    .map(row -> row.state().terminal())
                    .orElse(false);
            boolean go = closed || pastDeadline(name.get(), now, MARGIN);
            Action action = go ? Action.RELEASE : Action.KEEP;
            String words = go ? "left over from a lease that is over" : "belongs to a lease within its time";
            try {
                if (go && !dryRun) {
                    provider.release(r);
                }
            } catch (ProviderException e) {
                action = Action.TROUBLE;
                words = words + "; refused: " + e.kind() + ": " + e.words();
            }
            lines.add(new SweepLine(provider.id().value(), r.kind(), r.id(), r.name(), action, words));
        }
    }

    private Instant vendorTime(Provider provider, List<SweepLine> lines) {
        Instant now = clock.instant();
        Optional<Duration> skew;
        try {
            skew = provider.verify().clockSkew();
        } catch (ProviderException e) {
            lines.add(new SweepLine(
                    provider.id().value(),
                    "clock",
                    "",
                    "",
                    Action.NOTE,
                    "could not be compared with the vendor's, ours is used: " + e.kind() + ": " + e.words()));
            return now;
        }
        if (skew.isPresent() && skew.get().abs().compareTo(MOST_SKEW) > 0) {
            lines.add(new SweepLine(
                    provider.id().value(),
                    "clock",
                    "",
                    "",
                    Action.NOTE,
                    "our clock differs from the vendor's by " + skew.get().toSeconds() + " s; using the vendor's"));
            return now.plus(skew.get());
        }
        return now;
    }

    private void audit(String what, String subject) {
        try {
            ledger.ifPresent(l -> l.audit("sweep", what, subject, clock.instant()));
        } catch (LedgerException e) {
            // The release was sent; the line in the result tells of it.
            LOG.warn("could not write the audit: {}", e.getMessage());
        }
    }
}
