package dev.seatrial.app.control;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** What the control endpoint can ask of the process it lives in. */
public interface ControlTarget {
    /** @return false when the evaluation does not run here */
    boolean cancel(String evaluation);

    /** @return empty when done, else why not */
    Optional<String> approve(String evaluation, String candidate, boolean yes);

    /** @return false when no lease of that id is held here */
    boolean release(String lease);

    /** The evaluation's document; empty when there is none. */
    Optional<JsonNode> evaluation(String id);
}
