package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.BalanceSeen;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.Spend;
import dev.seatrial.domain.ledger.SpendingStop;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.money.LimitUse;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.joda.money.BigMoney;

/** The ledger on a SQL database. Leases have connections of their own and write before everything else (law 6). */
public final class SqlLedger implements Ledger {
    /** Longest wait for other writers of this process. */
    private static final Duration GATE = Duration.ofSeconds(30);

    /** Longest wait for a write of another process. */
    private static final Duration BUSY = Duration.ofSeconds(10);

    private final String installation;
    private final InstantSource clock;
    private final Shares shares;
    private final SpendingMarker marker;
    private final Stages stages = new Stages();

    private SqlLedger(String installation, InstantSource clock, SpendingMarker marker, Shares shares) {
        this.marker = marker;
        this.installation = installation;
        this.clock = clock;
        this.shares = shares;
    }

    /**
     * Opens the ledger in this SQLite file, upgraded to the newest schema; makes it, readable by its owner only, when
     * there is none. The installation's id is also kept in a file {@code installation} beside it and taken over from there
     * by a new ledger, so that instances of a lost one stay recognisable.
     *
     * @throws LedgerException in plain words when it is damaged, no ledger, of a newer version, locked, or cannot be
     *     written; it is left as it is
     */
    public static SqlLedger open(Path file, InstantSource clock) {
        return open(file, clock, BUSY);
    }

    /** @param busy how long a write waits for another process before it gives up */
    static SqlLedger open(Path file, InstantSource clock, Duration busy) {
        SqliteFile sqlite = new SqliteFile(file, clock, busy);
        return on(sqlite, sqlite.prepare(), clock, new SqliteDatabase(sqlite.path(), false, busy));
    }

    /**
     * Opens it for reading only; changes nothing, makes nothing. Writing methods throw.
     *
     * @return empty when there is no ledger yet
     * @throws LedgerException as {@link #open}, and when an older version wrote it
     */
    public static Optional<SqlLedger> openReadOnly(Path file, InstantSource clock) {
        SqliteFile sqlite = new SqliteFile(file, clock, BUSY);
        return sqlite.check().map(id -> on(sqlite, id, clock, new SqliteDatabase(sqlite.path(), true, BUSY)));
    }

    private static SqlLedger on(SqliteFile file, String installation, InstantSource clock, Shares.Database database) {
        return new SqlLedger(
                installation, clock, new SpendingMarker(file.directory()), new Shares(database, new WriteGate(GATE)));
    }

    @Override
    public String installation() {
        return installation;
    }

    @Override
    public void openEvaluation(EvaluationRow evaluation, Plan plan, List<TrialRow> trials) {
        write(h -> Evaluations.open(h, evaluation, plan, trials));
    }

    @Override
    public void evaluationStatus(String evaluation, EvaluationStatus status, String note, Instant at) {
        write(h -> Evaluations.status(h, evaluation, status, note, at));
    }

    @Override
    public void evaluationOwner(String evaluation, String owner) {
        write(h -> Evaluations.owner(h, evaluation, owner));
    }

    @Override
    public Optional<EvaluationRow> evaluation(String id) {
        return shares.read(h -> Evaluations.byId(h, id));
    }

    @Override
    public List<EvaluationRow> evaluations(int limit) {
        return shares.read(h -> Evaluations.newest(h, limit));
    }

    @Override
    public List<TrialRow> trials(String evaluation) {
        return shares.read(h -> Evaluations.trials(h, evaluation));
    }

    @Override
    public void trial(TrialRow row) {
        write(h -> Evaluations.replace(h, row));
    }

    @Override
    public Grant reserve(LeaseIntent intent, String owner, Optional<BalanceSeen> balance) {
        Optional<SpendingStop> stop = marker.read();
        return shares.leaseWrite(h -> stop.isPresent()
                ? Leases.known(h, intent).orElseGet(() -> new Grant.Stopped(stop.get()))
                : Leases.reserve(h, installation, intent, owner, balance, clock.instant()));
    }

    @Override
    public Optional<SpendingStop> spendingStopped() {
        return marker.read();
    }

    /** The installation of the ledger in this directory, also when the ledger itself cannot be read. */
    public static Optional<String> keptInstallation(Path home) {
        return new SqliteFile(home.resolve("ledger.db"), InstantSource.system(), BUSY).kept();
    }

    @Override
    public boolean spendLimits(Optional<SpendLimits> limits) {
        return shares.write(h -> OverallSpend.replace(h, limits));
    }

    @Override
    public Optional<SpendLimits> spendLimits() {
        return shares.leaseRead(OverallSpend::read);
    }

    @Override
    public List<LimitUse> limitUse(SpendLimits limits, boolean simulated, Instant now) {
        return shares.read(h -> OverallSpend.use(h, limits, simulated, now));
    }

    @Override
    public int lastOrdinal(String evaluation, String candidate, Phase phase) {
        return shares.leaseRead(h -> Leases.lastOrdinal(h, evaluation, candidate, phase));
    }

    @Override
    public Optional<LeaseRow> lease(String id) {
        return shares.leaseRead(h -> Leases.byId(h, id));
    }

    @Override
    public List<LeaseRow> leases(String evaluation) {
        return shares.leaseRead(h -> Leases.ofEvaluation(h, evaluation));
    }

    @Override
    public List<LeaseRow> openLeases() {
        return shares.leaseRead(Leases::open);
    }

    @Override
    public Map<String, LeaseRow> leasesByName() {
        Map<String, LeaseRow> byName = new LinkedHashMap<>();
        shares.leaseRead(Leases::all).forEach(lease -> byName.put(lease.name().text(), lease));
        return byName;
    }

    @Override
    public Optional<LeaseRow> move(
            String lease, long fence, LeaseState to, LeaseChange change, String detail, Instant at) {
        return shares.leaseWrite(h -> Leases.move(h, lease, fence, to, change, detail, at));
    }

    @Override
    public void leaseEvent(String lease, String type, String detail, Instant at) {
        shares.leaseWrite(h -> {
            Leases.event(h, lease, type, detail, at);
            return true;
        });
    }

    @Override
    public List<LeaseEvent> leaseEvents(String lease) {
        return shares.leaseRead(h -> Leases.events(h, lease));
    }

    @Override
    public Spend spend(String evaluation) {
        return shares.read(h -> Leases.spend(h, evaluation, Optional.empty()));
    }

    @Override
    public Spend spend(String evaluation, String candidate) {
        return shares.read(h -> Leases.spend(h, evaluation, Optional.of(candidate)));
    }

    @Override
    public void raiseCap(String evaluation, BigMoney cap, Instant at) {
        write(h -> Evaluations.raiseCap(h, evaluation, cap));
    }

    @Override
    public BigMoney cap(String evaluation) {
        return shares.read(h -> Evaluations.cap(h, evaluation));
    }

    @Override
    public void raiseCandidateCap(String evaluation, String candidate, BigMoney cap, Instant at) {
        write(h -> Evaluations.raiseCandidateCap(h, evaluation, candidate, cap));
    }

    @Override
    public Optional<BigMoney> candidateCap(String evaluation, String candidate) {
        return shares.read(h -> Evaluations.candidateCap(h, evaluation, candidate));
    }

    @Override
    public StageRunRow startStage(StageRunRow row) {
        return shares.write(h -> stages.start(h, row));
    }

    @Override
    public Optional<StageRunRow> stageRun(String id) {
        return shares.read(h -> stages.byId(h, id));
    }

    @Override
    public List<StageRunRow> stageRuns(String evaluation) {
        return shares.read(h -> stages.ofEvaluation(h, evaluation));
    }

    @Override
    public long appendEvents(
            String stageRun,
            long fromOffset,
            long toOffset,
            List<StoredEvent> events,
            double progress,
            String progressText) {
        return shares.write(h -> stages.append(h, stageRun, fromOffset, toOffset, events, progress, progressText));
    }

    @Override
    public List<StoredEvent> stageEvents(String stageRun) {
        return shares.read(h -> stages.events(h, stageRun));
    }

    @Override
    public void stageEnded(String stageRun, String end, Instant at) {
        write(h -> stages.ended(h, stageRun, end, at));
    }

    @Override
    public void stageResult(String evaluation, String candidate, StageResult result) {
        write(h -> stages.result(h, evaluation, candidate, result));
    }

    @Override
    public List<StageResult> stageResults(String evaluation, String candidate) {
        return shares.read(h -> stages.results(h, evaluation, candidate));
    }

    @Override
    public void artifact(ArtifactRow row, byte[] content) {
        // Before the transaction: nobody should wait for a compression.
        byte[] compressed = Stages.compress(content);
        write(h -> stages.artifact(h, row, compressed));
    }

    @Override
    public List<ArtifactRow> artifacts(String stageRun) {
        return shares.read(h -> stages.artifacts(h, stageRun));
    }

    @Override
    public Optional<byte[]> artifactContent(String stageRun, String name) {
        Function<Handle, Optional<byte[]>> content = h -> stages.artifactContent(h, stageRun, name);
        return shares.read(content).map(Stages::expand);
    }

    @Override
    public void audit(String who, String what, String subject, Instant at) {
        write(h -> Evaluations.audit(h, new AuditRow(at, who, what, subject)));
    }

    @Override
    public List<AuditRow> audits(int limit) {
        return shares.read(h -> Evaluations.audits(h, limit));
    }

    @Override
    public void heartbeat(String owner, Instant at) {
        write(h -> Evaluations.heartbeat(h, owner, at));
    }

    @Override
    public Optional<Instant> lastHeartbeat(String owner) {
        return shares.read(h -> Evaluations.lastHeartbeat(h, owner));
    }

    @Override
    public void close() {
        shares.close();
    }

    private void write(Consumer<Handle> action) {
        shares.write(h -> {
            action.accept(h);
            return true;
        });
    }
}
