package dev.seatrial.workflow;

import dev.seatrial.domain.measure.Verdict;
import java.util.Optional;

/**
 * How a trial ended.
 *
 * @param candidate candidate name
 * @param verdict verdict
 * @param reason one sentence
 * @param stoppedAt where it stopped short, or empty
 * @param rented whether any instance became usable
 * @param budgetStopped whether a cap cut it short
 * @param cancelled whether it was cancelled
 */
public record TrialOutcome(
        String candidate,
        Verdict verdict,
        String reason,
        Optional<String> stoppedAt,
        boolean rented,
        boolean budgetStopped,
        boolean cancelled) {}
