package dev.seatrial.domain.ledger;

import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.Verdict;
import java.util.Optional;

/**
 * One candidate's part of an evaluation.
 *
 * @param evaluation evaluation id
 * @param candidate candidate name
 * @param provider provider name
 * @param position order in the plan, from 0
 * @param simulated whether it is simulated
 * @param state running text for screens: {@code waiting}, {@code provisioning}, {@code stage}, {@code gate}, {@code approval}, {@code keeping},
 *     {@code releasing}, {@code done}
 * @param phase current or last phase word, may be empty
 * @param stage current or last stage word, may be empty
 * @param singleDone whether its single phase is over, so that multi-GPU money may be granted to others
 * @param singleEarmark micros of the plan's currency kept for its single phase until then
 * @param verdict verdict once known
 * @param reason one sentence
 * @param stoppedAt where it stopped short ({@code single/compute}, {@code gate}, {@code provisioning}, {@code budget}), or empty when it ran through
 * @param coverage what was excluded, found, not tested
 */
public record TrialRow(
        String evaluation,
        String candidate,
        String provider,
        int position,
        boolean simulated,
        String state,
        String phase,
        String stage,
        boolean singleDone,
        long singleEarmark,
        Optional<Verdict> verdict,
        String reason,
        Optional<String> stoppedAt,
        Coverage coverage) {}
