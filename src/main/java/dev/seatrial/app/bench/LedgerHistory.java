package dev.seatrial.app.bench;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the ledger knows of a card from earlier evaluations: figures of real machines whose identity was confirmed and
 * whose stage did not fail. Simulated figures are no experience, and none is offered for simulated machines.
 */
public final class LedgerHistory {
    /** Evaluations looked back over; older ones ran other software anyway. */
    private static final int EVALUATIONS = 100;

    private final Ledger ledger;
    private final Function<String, Plan> plans;

    /** @param plans the plan of an evaluation, by its id; {@link IllegalArgumentException} where it cannot be read */
    public LedgerHistory(Ledger ledger, Function<String, Plan> plans) {
        this.ledger = ledger;
        this.plans = plans;
    }

    /** Figures of other evaluations for this candidate's card. */
    List<Past> of(String evaluation, Candidate candidate) {
        boolean simulated = ledger.trials(evaluation).stream()
                .anyMatch(t -> t.candidate().equals(candidate.name()) && t.simulated());
        if (simulated || !candidate.wantsGpu()) {
            return List.of();
        }
        List<Past> past = new ArrayList<>();
        for (EvaluationRow e : ledger.evaluations(EVALUATIONS)) {
            if (!e.id().equals(evaluation)) {
                past.addAll(of(e, candidate.gpu()));
            }
        }
        return past;
    }

    private List<Past> of(EvaluationRow e, String gpu) {
        Set<String> same;
        try {
            same = plans.apply(e.id()).candidates().stream()
                    .filter(c -> c.gpu().equals(gpu))
                    .map(Candidate::name)
                    .collect(Collectors.toSet());
        } catch (IllegalArgumentException unreadable) {
            // A plan of another version of this program is no experience, and no reason to stop.
            return List.of();
        }
        return ledger.trials(e.id()).stream()
                .filter(t -> !t.simulated() && same.contains(t.candidate()))
                .flatMap(t -> figures(t).stream())
                .toList();
    }

    private List<Past> figures(TrialRow trial) {
        List<StageResult> results = ledger.stageResults(trial.evaluation(), trial.candidate());
        Set<String> confirmed = results.stream()
                .filter(r -> r.findings().stream().anyMatch(f -> f.code().equals("IDENTITY_CONFIRMED")))
                .map(StageResult::lease)
                .collect(Collectors.toSet());
        Map<List<String>, List<Measurement>> byKey = new LinkedHashMap<>();
        Map<List<String>, StageResult> of = new LinkedHashMap<>();
        for (StageResult r : results) {
            if (!confirmed.contains(r.lease()) || r.verdict() == Verdict.FAIL || r.verdict() == Verdict.SKIPPED) {
                continue;
            }
            for (Measurement m : r.measurements()) {
                if (!m.lowConfidence() && m.value() > 0 && m.verdict() != Verdict.FAIL) {
                    List<String> key = List.of(r.lease(), m.name(), m.method(), Stack.of(m));
                    byKey.computeIfAbsent(key, k -> new ArrayList<>()).add(m);
                    of.put(key, r);
                }
            }
        }
        List<Past> past = new ArrayList<>();
        byKey.forEach((key, figures) -> past.add(new Past(
                key.get(0),
                key.get(1),
                key.get(2),
                key.get(3),
                Statistics.median(
                        figures.stream().mapToDouble(Measurement::value).toArray()),
                of.get(key).startedAt())));
        return past;
    }

    /** The evidence of a run with what is known from earlier ones. */
    public StageEvidence with(StageEvidence evidence) {
        return switch (evidence.run().stage()) {
            case COMPUTE, STABILITY ->
                new StageEvidence(
                        evidence.plan(),
                        evidence.candidate(),
                        evidence.run(),
                        evidence.events(),
                        of(evidence.run().evaluation(), evidence.candidate()));
            default -> evidence;
        };
    }
}
