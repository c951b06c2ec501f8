package dev.seatrial.app.engine;

import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Candidate;
import java.util.List;
import java.util.Map;

/** Holds the candidates of one evaluation against each other. */
@FunctionalInterface
public interface PeerJudge {
    /**
     * @param candidate the candidate
     * @param simulated whether its figures are simulated
     * @param results its judged stages in order of start, repeats included
     */
    record Side(Candidate candidate, boolean simulated, List<StageResult> results) {
        public Side {
            results = List.copyOf(results);
        }
    }

    /** The results that the comparison changes, by candidate. Repeating it on its own outcome changes nothing more. */
    Map<String, List<StageResult>> compare(List<Side> sides);
}
