package dev.seatrial.app.engine;

import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Compares the candidates of an evaluation at its end and writes what that changes. May be repeated. */
public final class SideBySide {
    private final Ledger ledger;
    private final Function<String, Plan> plans;
    private final PeerJudge peers;
    private final TrialJudge judge;

    public SideBySide(Ledger ledger, Function<String, Plan> plans, PeerJudge peers, TrialJudge judge) {
        this.ledger = ledger;
        this.plans = plans;
        this.peers = peers;
        this.judge = judge;
    }

    void compare(String evaluation) {
        Plan plan = plans.apply(evaluation);
        List<TrialRow> trials = ledger.trials(evaluation);
        List<PeerJudge.Side> sides = new ArrayList<>();
        for (TrialRow t : trials) {
            List<StageResult> results = ledger.stageResults(evaluation, t.candidate());
            if (!results.isEmpty()) {
                sides.add(new PeerJudge.Side(plan.candidate(t.candidate()), t.simulated(), results));
            }
        }
        if (sides.size() < 2) {
            return;
        }
        Map<String, List<StageResult>> changed = peers.compare(sides);
        changed.forEach((candidate, results) -> results.forEach(r -> ledger.stageResult(evaluation, candidate, r)));
        trials.stream().filter(t -> changed.containsKey(t.candidate())).forEach(t -> again(plan, t));
    }

    /** A comparison warns at most, so it moves a trial only between a pass and a warning. */
    private void again(Plan plan, TrialRow t) {
        if (!settled(t.verdict())) {
            return;
        }
        TrialJudge.Judged now =
                judge.judge(plan, plan.candidate(t.candidate()), ledger.stageResults(t.evaluation(), t.candidate()));
        if (settled(Optional.of(now.verdict()))) {
            ledger.trial(new TrialRow(
                    t.evaluation(),
                    t.candidate(),
                    t.provider(),
                    t.position(),
                    t.simulated(),
                    t.state(),
                    t.phase(),
                    t.stage(),
                    t.singleDone(),
                    t.singleEarmark(),
                    Optional.of(now.verdict()),
                    now.reason(),
                    t.stoppedAt(),
                    now.coverage()));
        }
    }

    private static boolean settled(Optional<Verdict> verdict) {
        return verdict.filter(v -> v == Verdict.PASS || v == Verdict.WARN).isPresent();
    }
}
