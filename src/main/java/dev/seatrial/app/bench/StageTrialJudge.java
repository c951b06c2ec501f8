package dev.seatrial.app.bench;

import dev.seatrial.app.engine.TrialJudge;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import java.util.List;

/** Joins stages into a trial's verdict by {@link TrialVerdict}. */
public final class StageTrialJudge implements TrialJudge {
    private final Judge judge;

    public StageTrialJudge(Judge judge) {
        this.judge = judge;
    }

    @Override
    public Judged judge(Plan plan, Candidate candidate, List<StageResult> results) {
        TrialVerdict verdict = TrialVerdict.ofResults(plan, candidate, results, judge);
        return new Judged(verdict.verdict(), verdict.reason(), verdict.coverage());
    }
}
