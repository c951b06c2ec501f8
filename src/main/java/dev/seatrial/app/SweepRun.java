package dev.seatrial.app;

import dev.seatrial.app.config.Settings;
import dev.seatrial.app.lease.Accounts;
import dev.seatrial.app.lease.Releaser;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.app.service.Recovery;
import dev.seatrial.app.sweep.Sweep;
import dev.seatrial.app.sweep.SweepLine;
import dev.seatrial.app.sweep.SweepLine.Action;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.provider.ProviderId;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The sweep as a command: also recovers what a dead owner left, and goes on without the ledger when it must. */
public final class SweepRun implements AutoCloseable {
    private final Parts parts;
    private final Optional<Ledger> ledger;
    private final Optional<String> trouble;
    private final Optional<Releaser> releaser;
    private final Sweep sweep;
    private final InstantSource clock;

    private SweepRun(Parts parts, Optional<Ledger> ledger, Optional<String> trouble, InstantSource clock) {
        this.parts = parts;
        this.ledger = ledger;
        this.trouble = trouble;
        this.clock = clock;
        Accounts accounts = new Accounts(parts.providers(), clock);
        this.releaser = ledger.map(l -> new Releaser(l, accounts, parts.keys(), parts.handBack(), clock));
        this.sweep = new Sweep(parts.providers(), accounts, ledger, releaser, clock);
    }

    public static SweepRun open(Settings settings, InstantSource clock) {
        Logs.into(settings.logs());
        Parts parts = new Parts(settings, clock);
        try {
            return new SweepRun(
                    parts, Optional.of(SqlLedger.open(settings.ledgerFile(), clock)), Optional.empty(), clock);
        } catch (LedgerException e) {
            return new SweepRun(parts, Optional.empty(), Optional.of(String.valueOf(e.getMessage())), clock);
        }
    }

    /** Every configured account. */
    public List<ProviderId> accounts() {
        return parts.providers().names();
    }

    /** Whether something of ours may bill at this account; also when no ledger can tell. */
    public boolean mayBill(ProviderId account) {
        try {
            return ledger.map(l -> l.openLeases().stream()
                            .anyMatch(r -> r.provider().equals(account)
                                    && !r.borrowed()
                                    && r.state().maybeBilling()))
                    .orElse(true);
        } catch (LedgerException e) {
            return true;
        }
    }

    /** Why the ledger is not used, if it is not. */
    public Optional<String> ledgerTrouble() {
        return trouble;
    }

    /** One round: leases of a dead owner first, then every account. */
    public List<SweepLine> round(Set<ProviderId> only, boolean dryRun) {
        List<SweepLine> lines = new ArrayList<>();
        if (ledger.isPresent()) {
            recover(only, dryRun, lines);
        }
        lines.addAll(sweep.round(only, dryRun));
        return lines;
    }

    private void recover(Set<ProviderId> only, boolean dryRun, List<SweepLine> lines) {
        try {
            Recovery recovery =
                    new Recovery(ledger.orElseThrow(), releaser.orElseThrow(), clock, o -> Owner.dead(parts, o));
            for (LeaseRow lease : recovery.leftBehind()) {
                if (only.isEmpty() || only.contains(lease.provider())) {
                    lines.add(line(lease, Action.RELEASE, "its owner is dead"));
                }
            }
            if (!dryRun) {
                recovery.interrupt();
                lines.clear();
                recovery.leftBehind().stream()
                        .filter(l -> only.isEmpty() || only.contains(l.provider()))
                        .forEach(l -> lines.add(recovery.release(l)
                                .map(why -> line(l, Action.RELEASE, why))
                                .orElseGet(() -> line(l, Action.GONE, "proven gone"))));
            }
        } catch (LedgerException e) {
            lines.add(new SweepLine("-", "ledger", "", "", Action.TROUBLE, String.valueOf(e.getMessage())));
        }
    }

    private static SweepLine line(LeaseRow lease, Action action, String why) {
        return new SweepLine(
                lease.provider().value(),
                "lease",
                lease.instance().map(Object::toString).orElse(""),
                lease.name().text(),
                action,
                why);
    }

    @Override
    public void close() {
        parts.close();
        ledger.ifPresent(Ledger::close);
    }
}
