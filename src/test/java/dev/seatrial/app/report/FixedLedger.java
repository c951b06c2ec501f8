package dev.seatrial.app.report;

import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.Spend;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.StageResult;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;

/** A ledger that holds one evaluation exactly as a test wrote it, states that a real one would refuse included. */
final class FixedLedger {
    EvaluationRow evaluation;
    BigMoney cap;
    final List<TrialRow> trials = new ArrayList<>();
    final List<LeaseRow> leases = new ArrayList<>();
    final Map<String, List<LeaseEvent>> events = new LinkedHashMap<>();
    final List<StageRunRow> runs = new ArrayList<>();
    final Map<String, List<StoredEvent>> stageEvents = new LinkedHashMap<>();
    final Map<String, List<StageResult>> results = new LinkedHashMap<>();
    final List<AuditRow> audits = new ArrayList<>();
    BigMoney overrun;

    FixedLedger(EvaluationRow evaluation, BigMoney cap) {
        this.evaluation = evaluation;
        this.cap = cap;
        this.overrun = BigMoney.zero(cap.getCurrencyUnit());
    }

    public Optional<EvaluationRow> evaluation(String id) {
        return Optional.of(evaluation).filter(e -> e.id().equals(id));
    }

    public List<EvaluationRow> evaluations(int limit) {
        return List.of(evaluation);
    }

    public List<TrialRow> trials(String id) {
        return trials;
    }

    public Optional<LeaseRow> lease(String id) {
        return leases.stream().filter(l -> l.id().equals(id)).findFirst();
    }

    public List<LeaseRow> leases(String id) {
        return leases;
    }

    public List<LeaseRow> openLeases() {
        return leases.stream().filter(l -> !l.state().terminal()).toList();
    }

    public List<LeaseEvent> leaseEvents(String lease) {
        return events.getOrDefault(lease, List.of());
    }

    public Spend spend(String id) {
        return spend(leases);
    }

    public Spend spend(String id, String candidate) {
        return spend(leases.stream()
                .filter(l -> l.key().candidate().equals(candidate))
                .toList());
    }

    private Spend spend(List<LeaseRow> of) {
        BigMoney zero = BigMoney.zero(cap.getCurrencyUnit());
        BigMoney spent = of.stream().flatMap(l -> l.costInPlan().stream()).reduce(zero, BigMoney::plus);
        BigMoney reserved = of.stream()
                .filter(l -> !l.state().terminal())
                .map(LeaseRow::reservedInPlan)
                .reduce(zero, BigMoney::plus);
        return new Spend(spent, reserved, overrun);
    }

    public BigMoney cap(String id) {
        return cap;
    }

    public List<StageRunRow> stageRuns(String id) {
        return runs;
    }

    public Optional<StageRunRow> stageRun(String id) {
        return runs.stream().filter(r -> r.id().equals(id)).findFirst();
    }

    public List<StoredEvent> stageEvents(String stageRun) {
        return stageEvents.getOrDefault(stageRun, List.of());
    }

    public List<StageResult> stageResults(String id, String candidate) {
        return results.getOrDefault(candidate, List.of());
    }

    public List<AuditRow> audits(int limit) {
        return audits;
    }

    public List<ArtifactRow> artifacts(String stageRun) {
        return List.of();
    }

    public Optional<byte[]> artifactContent(String stageRun, String name) {
        return Optional.empty();
    }

    /**
     * This as the port. Whatever else the port has is not for a report, so new methods of it need nothing here.
     */
    Ledger port() {
        return (Ledger) Proxy.newProxyInstance(
                Ledger.class.getClassLoader(), new Class<?>[] {Ledger.class}, (proxy, method, args) -> {
                    try {
                        return FixedLedger.class
                                .getDeclaredMethod(method.getName(), method.getParameterTypes())
                                .invoke(this, args);
                    } catch (NoSuchMethodException e) {
                        throw new UnsupportedOperationException("a report only reads: " + method, e);
                    }
                });
    }
}
