package dev.seatrial.app;

import dev.seatrial.app.bench.Judge;
import dev.seatrial.app.bench.OwnFiles;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.lease.Accounts;
import dev.seatrial.app.lease.Releaser;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.app.plan.PlanJson;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.app.report.DefaultReports;
import dev.seatrial.app.report.Reports;
import dev.seatrial.app.sweep.Sweep;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.plan.Plan;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Everything but the engine, wired by hand: what commands share that look, release and sweep. */
public final class App implements AutoCloseable {
    private final Parts parts;
    private final Ledger ledger;
    private final Accounts accounts;
    private final Releaser releaser;
    private final Map<String, Plan> plans = new ConcurrentHashMap<>();
    private final InstantSource clock;

    private App(Parts parts, Ledger ledger, InstantSource clock) {
        this.parts = parts;
        this.ledger = ledger;
        this.clock = clock;
        this.accounts = new Accounts(parts.providers(), clock);
        this.releaser = new Releaser(ledger, accounts, parts.keys(), parts.handBack(), clock);
    }

    /** @throws dev.seatrial.domain.ledger.LedgerException when the ledger cannot be opened, in plain words */
    public static App open(Settings settings, InstantSource clock) {
        Logs.into(settings.logs());
        return new App(new Parts(settings, clock), SqlLedger.open(settings.ledgerFile(), clock), clock);
    }

    /** For commands that only read; empty when there is no ledger yet. */
    public static Optional<App> look(Settings settings, InstantSource clock) {
        return SqlLedger.openReadOnly(settings.ledgerFile(), clock)
                .map(ledger -> new App(new Parts(settings, clock), ledger, clock));
    }

    public Settings settings() {
        return parts.settings();
    }

    public Ledger ledger() {
        return ledger;
    }

    public Providers providers() {
        return parts.providers();
    }

    public Accounts accounts() {
        return accounts;
    }

    public Releaser releaser() {
        return releaser;
    }

    /** The user's own references and policy. */
    OwnFiles own() {
        return parts.own();
    }

    public Judge judge() {
        return parts.judge();
    }

    public Reports reports() {
        return new DefaultReports(ledger, parts.settings().reports(), PlanJson::read);
    }

    public Sweep sweep() {
        return new Sweep(parts.providers(), accounts, Optional.of(ledger), Optional.of(releaser), clock);
    }

    Parts parts() {
        return parts;
    }

    InstantSource clock() {
        return clock;
    }

    /** The plan of an evaluation. @throws IllegalArgumentException when there is no such evaluation */
    public Plan plan(String evaluation) {
        return plans.computeIfAbsent(
                evaluation,
                id -> PlanJson.read(ledger.evaluation(id)
                        .orElseThrow(() -> new IllegalArgumentException("there is no evaluation " + id))
                        .planJson()));
    }

    @Override
    public void close() {
        parts.close();
        ledger.close();
    }
}
