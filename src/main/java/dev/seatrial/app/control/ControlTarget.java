package dev.seatrial.app.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.app.service.EvaluationService.Unusable;
import dev.seatrial.app.service.Starter.Obstacle;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the control endpoint can ask of the process it lives in. */
public interface ControlTarget {
    /**
     * A plan to be started.
     *
     * @param yaml the plan's text
     * @param file what it is called in problems; paths in it are relative to this file's directory
     * @param partial whether the usable candidates shall go on without the others
     * @param key idempotency key
     * @param locale language of the problems
     */
    record Submission(String yaml, Path file, boolean partial, String key, Locale locale) {}

    /** What came of a plan. */
    sealed interface Submitted {
        /** It runs; of an earlier call when the key was used before. */
        record Started(String evaluation, List<Unusable> unusable) implements Submitted {}

        /** It was not started, and nothing was rented. */
        record Refused(Obstacle why, List<String> errors, List<Unusable> unusable) implements Submitted {}

        /** The key stands for another plan. */
        record Conflict(String why) implements Submitted {}
    }

    /** Checks a plan and starts it. */
    Submitted submit(Submission submission);

    /** Continues an interrupted evaluation. @return empty when done, else why not */
    Optional<String> resume(String evaluation);

    /** @return false when the evaluation does not run here */
    boolean cancel(String evaluation);

    /** @param candidate whose own cap; empty for the evaluation's @return empty when done, else why not */
    Optional<String> raiseCap(String evaluation, Optional<String> candidate, BigDecimal cap);

    /** @param stage empty for whichever runs @return empty when done, else why not */
    Optional<String> skip(String evaluation, String candidate, Optional<String> stage);

    /** @return empty when done, else why not */
    Optional<String> cancelTrial(String evaluation, String candidate);

    /** Cancels all that runs here; spending is stopped already. */
    void stopAll();

    /** @return empty when done, else why not */
    Optional<String> approve(String evaluation, String candidate, boolean yes);

    /** @return false when no lease of that id is held here */
    boolean release(String lease);

    /** The evaluation's document; empty when there is none. */
    Optional<JsonNode> evaluation(String id);
}
