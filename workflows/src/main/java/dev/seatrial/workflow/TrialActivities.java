package dev.seatrial.workflow;

import dev.seatrial.domain.measure.StageSummary;
import io.temporal.activity.ActivityInterface;
import java.util.List;
import java.util.Optional;

/** Reads offers and keeps the trial's row. Runs on {@link Queues#CONTROL}. */
@ActivityInterface(namePrefix = "Trial")
public interface TrialActivities {
    /**
     * Offers for the candidate with this many GPUs, cheapest first; whole machines with more GPUs at the end. Fails
     * without retry, in the vendor's words, when the account cannot be used.
     */
    OfferChoice offers(String evaluation, String candidate, int gpus);

    /** Where the trial is now, for screens. */
    void position(String evaluation, String candidate, String state, String phase, String stage);

    /** The single phase is over: frees its earmark. */
    void singleDone(String evaluation, String candidate);

    /** Notes something about provisioning or money that is a result: a finding of the trial. */
    void note(String evaluation, String candidate, String code, String words);

    /**
     * Writes the trial's end.
     *
     * @param stages latest summary of each stage
     * @param stopped where and why it stopped short, if it did
     */
    TrialOutcome conclude(
            String evaluation, String candidate, List<StageSummary> stages, Optional<Stop> stopped, boolean rented);

    /**
     * Why a trial stopped short.
     *
     * @param at {@code provisioning}, {@code gate}, {@code budget}, {@code cancelled}, {@code single/compute}, …
     * @param words one sentence
     * @param kind {@code refused}, {@code never-ready}, {@code gate}, {@code budget}, {@code cancelled} (with the evaluation), {@code withdrawn} (this trial alone), {@code failed}, {@code bug}
     */
    record Stop(String at, String words, String kind) {}
}
