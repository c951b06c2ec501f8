package dev.seatrial.app.engine;

import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import java.util.List;

/** Joins the judged stages of a trial into its verdict. */
@FunctionalInterface
public interface TrialJudge {
    /** @param results every judged stage in order of start, repeats included */
    Judged judge(Plan plan, Candidate candidate, List<StageResult> results);

    /**
     * @param verdict verdict of what was measured
     * @param reason one sentence, with numbers
     * @param coverage what was excluded, found, not tested
     */
    record Judged(Verdict verdict, String reason, Coverage coverage) {}
}
