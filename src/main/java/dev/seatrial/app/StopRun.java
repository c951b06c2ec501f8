package dev.seatrial.app;

import dev.seatrial.app.config.Settings;
import dev.seatrial.app.lease.Accounts;
import dev.seatrial.app.lease.LeaseActivitiesImpl;
import dev.seatrial.app.lease.ReleaseStep;
import dev.seatrial.app.lease.Releaser;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.app.sweep.Everything;
import dev.seatrial.app.sweep.SweepLine;
import dev.seatrial.app.sweep.SweepLine.Action;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.provider.ProviderId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Gives everything back once spending is stopped: open leases by the ledger, whoever owns them, and whatever else bears
 * this installation's names. Without a readable ledger by names alone.
 */
public final class StopRun implements AutoCloseable {
    /** A lease that its living owner does not move for so long is released from here as well. */
    private static final Duration OWNERS_TURN = Duration.ofSeconds(20);

    private static final int EVALUATIONS = 1_000;

    private final Parts parts;
    private final Accounts accounts;
    private final Optional<Ledger> ledger;
    private final Optional<String> trouble;
    private final Optional<Releaser> releaser;
    private final Optional<Everything> everything;
    private final InstantSource clock;
    private final boolean ownerAsked;
    private final Map<String, Seen> seen = new HashMap<>();

    private record Seen(long fence, Instant at) {}

    private StopRun(
            Parts parts,
            Optional<Ledger> ledger,
            Optional<String> trouble,
            Instant since,
            boolean ownerAsked,
            InstantSource clock) {
        this.parts = parts;
        this.ledger = ledger;
        this.trouble = trouble;
        this.clock = clock;
        this.ownerAsked = ownerAsked;
        this.accounts = new Accounts(parts.providers(), clock);
        this.releaser = ledger.map(l -> new Releaser(l, accounts, parts.keys(), parts.handBack(), clock));
        Optional<String> installation = ledger.map(Ledger::installation)
                .or(() -> SqlLedger.keptInstallation(parts.settings().home()));
        this.everything = installation.map(id -> new Everything(parts.providers(), accounts, id, since, clock));
    }

    /**
     * @param since when spending was stopped
     * @param ownerAsked whether a living owner has been told to cancel
     */
    public static StopRun open(Settings settings, Instant since, boolean ownerAsked, InstantSource clock) {
        Logs.into(settings.logs());
        Parts parts = new Parts(settings, clock);
        try {
            Ledger ledger = SqlLedger.open(settings.ledgerFile(), clock);
            return new StopRun(parts, Optional.of(ledger), Optional.empty(), since, ownerAsked, clock);
        } catch (LedgerException e) {
            return new StopRun(
                    parts, Optional.empty(), Optional.of(String.valueOf(e.getMessage())), since, ownerAsked, clock);
        }
    }

    /** Why the ledger is not used, if it is not. */
    public Optional<String> ledgerTrouble() {
        return trouble;
    }

    /** Whether it is known which names are ours; without ledger and without its id beside it, it is not. */
    public boolean knowsNames() {
        return everything.isPresent();
    }

    /** Writes down that evaluations nobody runs any more are over. Does nothing without a ledger. */
    public void cancelAbandoned() {
        ledger.ifPresent(l -> l.evaluations(EVALUATIONS).stream()
                .filter(e -> !e.status().ended() && Owner.dead(parts, e.owner()))
                .forEach(e -> {
                    l.evaluationStatus(e.id(), EvaluationStatus.CANCELLED, "spending was stopped", clock.instant());
                    l.audit("stop", "cancel", e.id(), clock.instant());
                }));
    }

    /**
     * What one round has come to.
     *
     * @param lines what was seen and done
     * @param done whether everything is proven gone
     */
    public record Round(List<SweepLine> lines, boolean done) {}

    public Round round() {
        List<SweepLine> lines = new ArrayList<>();
        Set<String> names = new HashSet<>();
        boolean open = false;
        boolean readable = ledger.isPresent();
        try {
            for (LeaseRow row : ledger.map(Ledger::openLeases).orElse(List.of())) {
                names.add(row.name().text());
                open |= !release(row, lines);
            }
        } catch (LedgerException e) {
            readable = false;
            lines.add(new SweepLine("-", "ledger", "", "", Action.TROUBLE, String.valueOf(e.getMessage())));
        }
        boolean proven = false;
        if (everything.isPresent()) {
            Everything all = everything.get();
            // Rows that cannot be stepped, because the ledger has failed meanwhile, go by name like all others.
            boolean byLedger = readable;
            lines.addAll(all.round(name -> byLedger && names.contains(name), this::elsewhere));
            proven = all.done();
        }
        return new Round(lines, !open && proven);
    }

    /** Clouds of another living process cannot be seen from here; it gives back what it has there. */
    private boolean elsewhere(ProviderId account) {
        return parts.providers().endsWithProcess(account);
    }

    /** @return whether it is proven gone */
    private boolean release(LeaseRow row, List<SweepLine> lines) {
        boolean alive = !Owner.dead(parts, row.owner());
        if (alive && (elsewhere(row.provider()) || ownersTurn(row))) {
            lines.add(line(row, Action.RELEASE, "its process gives it back: " + row.state()));
            return false;
        }
        ReleaseStep step = releaser.orElseThrow().step(LeaseActivitiesImpl.handle(row), "spending was stopped");
        if (step instanceof ReleaseStep.NotYetGone later) {
            lines.add(line(row, later.overdue() ? Action.TROUBLE : Action.RELEASE, later.why()));
            return false;
        }
        lines.add(line(row, Action.GONE, "proven gone"));
        return true;
    }

    private boolean ownersTurn(LeaseRow row) {
        Instant now = clock.instant();
        Seen before = seen.get(row.id());
        if (before == null || before.fence() != row.fence()) {
            before = new Seen(row.fence(), now);
            seen.put(row.id(), before);
        }
        return ownerAsked && before.at().plus(OWNERS_TURN).isAfter(now);
    }

    private static SweepLine line(LeaseRow row, Action action, String why) {
        return new SweepLine(
                row.provider().value(),
                "lease",
                row.instance().map(Object::toString).orElse(""),
                row.name().text(),
                action,
                why);
    }

    @Override
    public void close() {
        parts.close();
        ledger.ifPresent(Ledger::close);
    }
}
