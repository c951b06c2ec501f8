package dev.seatrial.app.service;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.plan.Plan;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs evaluations in this process. Everything that can be seen of them is in the ledger; this starts, steers and stops.
 */
public interface EvaluationService extends AutoCloseable {
    /**
     * Starts an evaluation; returns once its row is committed and the workflow is accepted.
     *
     * @param plan complete plan
     * @param candidates names of the candidates that are tried; the others are recorded as not rentable
     * @param unusable candidates that cannot be tried, with the reason in the vendor's words
     * @param who who asked, for the audit
     * @param key idempotency key, any text: the same key never starts a second evaluation, also after a restart
     * @return the evaluation's id; of the first one when the key was used before
     * @throws IllegalArgumentException when the key stands for another plan, in plain words
     */
    String start(Plan plan, List<String> candidates, List<Unusable> unusable, String who, Optional<String> key);

    /**
     * Continues an interrupted evaluation with a new embedded run; finished stages are not run again.
     *
     * @throws IllegalArgumentException when there is no such evaluation or it is not interrupted, in plain words
     */
    void resume(String evaluation, String who);

    /** Completes when the workflow has ended, so every lease of it is proven gone. Never completes exceptionally. */
    CompletableFuture<EvaluationStatus> completion(String evaluation);

    /** Asks for cancellation; releases go on. @return false when it is not running here */
    boolean cancel(String evaluation, String who);

    /**
     * Answers {@code escalate: approve}.
     *
     * @return empty when done, else why not, in plain words
     */
    Optional<String> approve(String evaluation, String candidate, boolean yes, String who);

    /**
     * Raises a cap; pays for new leases only.
     *
     * @param candidate whose own cap; empty for the evaluation's
     * @return empty when done, else why not, in plain words
     */
    Optional<String> raiseCap(String evaluation, Optional<String> candidate, BigDecimal cap, String who);

    /**
     * Leaves out the stage that runs now.
     *
     * @param stage its word; empty for whichever runs
     * @return empty when done, else why not, in plain words
     */
    Optional<String> skip(String evaluation, String candidate, Optional<String> stage, String who);

    /**
     * Ends one trial; the others go on.
     *
     * @return empty when done, else why not, in plain words
     */
    Optional<String> cancelTrial(String evaluation, String candidate, String who);

    /** Asks for cancellation of all that runs here. */
    void cancelAll(String who);

    /** Ends one lease early. @return false when no workflow of this process holds it */
    boolean releaseLease(String lease, String who);

    /** Whether evaluations or leases are still open in this process. */
    boolean busy();

    /** Stops workers and the engine. Leases that are still open stay open in the ledger for the next owner. */
    @Override
    void close();

    /**
     * A candidate that cannot be tried.
     *
     * @param candidate candidate name
     * @param why vendor's or our words
     */
    record Unusable(String candidate, String why) {}
}
