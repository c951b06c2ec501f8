package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.GateSaving;
import dev.seatrial.app.report.ReportModel.Lease;
import dev.seatrial.app.report.ReportModel.Note;
import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.joda.money.BigMoney;

/** Reads one evaluation out of the ledger. */
final class ReportReader {
    /** Lines of the audit that are looked through for notes of an evaluation. */
    private static final int AUDITS = 5_000;

    private final Ledger ledger;
    private final Function<String, Plan> plans;

    /** @param plans turns a stored plan into a plan, or throws IllegalArgumentException */
    ReportReader(Ledger ledger, Function<String, Plan> plans) {
        this.ledger = ledger;
        this.plans = plans;
    }

    /** @throws IllegalArgumentException when there is no such evaluation */
    ReportModel read(String id) {
        EvaluationRow evaluation =
                ledger.evaluation(id).orElseThrow(() -> new IllegalArgumentException("there is no evaluation " + id));
        Optional<Plan> plan = plan(evaluation);
        BigMoney cap = ledger.cap(id);
        List<LeaseRow> leases = ledger.leases(id);
        List<StageRunRow> runs = ledger.stageRuns(id);
        List<AuditRow> audits = ledger.audits(AUDITS);
        List<TrialRow> rows = new ArrayList<>(ledger.trials(id));
        rows.sort(Comparator.comparingInt(TrialRow::position));
        List<Trial> trials = rows.stream()
                .map(row -> trial(row, plan, cap, leases, runs, audits))
                .toList();
        List<GateSaving> savings = plan.map(p -> trials.stream()
                        .flatMap(t -> GateSavings.of(p, t).stream())
                        .toList())
                .orElse(List.of());
        return new ReportModel(evaluation, plan, cap, ledger.spend(id), trials, savings);
    }

    private Optional<Plan> plan(EvaluationRow evaluation) {
        try {
            return Optional.of(plans.apply(evaluation.planJson()));
        } catch (IllegalArgumentException unreadable) {
            // A plan of another version only costs the estimate of what the gate saved; the report says nothing of it
            // then.
            return Optional.empty();
        }
    }

    private Trial trial(
            TrialRow row,
            Optional<Plan> plan,
            BigMoney cap,
            List<LeaseRow> leases,
            List<StageRunRow> runs,
            List<AuditRow> audits) {
        String candidate = row.candidate();
        List<Lease> own = leases.stream()
                .filter(l -> l.key().candidate().equals(candidate))
                .map(this::lease)
                .toList();
        List<StageResult> stages = ledger.stageResults(row.evaluation(), candidate);
        Set<String> judged = stages.stream().map(StageResult::stageRun).collect(Collectors.toSet());
        List<StageRunRow> unjudged = runs.stream()
                .filter(r -> r.candidate().equals(candidate) && !judged.contains(r.id()))
                .toList();
        BigMoney ownCap = plan.flatMap(p -> p.candidates().stream()
                        .filter(c -> c.name().equals(candidate))
                        .findFirst()
                        .flatMap(c -> c.cap()))
                .orElse(cap);
        return new Trial(
                row,
                ledger.spend(row.evaluation(), candidate),
                ownCap,
                own,
                stages,
                unjudged,
                machine(candidate, runs),
                notes(row, audits));
    }

    /** Notes are audit lines of {@code trial} about {@code <evaluation>/<candidate>: <words>}. */
    private static List<Note> notes(TrialRow row, List<AuditRow> audits) {
        String about = row.evaluation() + "/" + row.candidate() + ": ";
        Map<String, Note> joined = new LinkedHashMap<>();
        for (int i = audits.size() - 1; i >= 0; i--) {
            AuditRow a = audits.get(i);
            if (a.who().equals("trial") && a.subject().startsWith(about)) {
                Note note = new Note(a.what(), a.subject().substring(about.length()), 1);
                joined.merge(
                        note.code() + " " + note.words(),
                        note,
                        (old, one) -> new Note(old.code(), old.words(), old.times() + 1));
            }
        }
        return List.copyOf(joined.values());
    }

    private Lease lease(LeaseRow row) {
        List<LeaseEvent> events = ledger.leaseEvents(row.id());
        return new Lease(row, events, ReleaseProof.of(row, events));
    }

    private MachineFacts machine(String candidate, List<StageRunRow> runs) {
        return runs.stream()
                .filter(r -> r.candidate().equals(candidate) && r.stage() == StageName.ENVIRONMENT)
                .min(Comparator.comparing(StageRunRow::phase)
                        .thenComparing(
                                Comparator.comparing(StageRunRow::startedAt).reversed()))
                .map(r -> MachineFacts.of(ledger.stageEvents(r.id())))
                .orElse(MachineFacts.NONE);
    }
}
