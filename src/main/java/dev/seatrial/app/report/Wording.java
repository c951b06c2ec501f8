package dev.seatrial.app.report;

import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Plan;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Sentences about results in the reader's language. The ledger keeps the English ones. */
public interface Wording {
    /** The English sentences as they were stored. */
    Wording STORED = new Wording() {};

    /** What a finding says. */
    default String message(Finding finding, Locale locale) {
        return finding.message();
    }

    /** What to do about a finding; may be empty. */
    default String next(Finding finding, Locale locale) {
        return finding.next();
    }

    /** A metric's name; the name itself when it has no other. */
    default String metric(String name, Locale locale) {
        return name;
    }

    /** What decided a stage. */
    default String reason(StageResult stage, Locale locale) {
        return stage.reason();
    }

    /**
     * What decided a trial.
     *
     * @param plan the plan, when it could be read
     * @param stages the trial's judged stages, repeats included
     */
    default String reason(TrialRow trial, Optional<Plan> plan, List<StageResult> stages, Locale locale) {
        return trial.reason();
    }
}
