package dev.seatrial.domain.plan;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** One benchmark. Order is the order in which a phase runs them. */
public enum StageName {
    ENVIRONMENT,
    COMPUTE,
    STORAGE,
    NETWORK,
    INTERCONNECT,
    STABILITY,
    TASK;

    /** The word in plans, files and on the wire. */
    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException for a word that names no stage */
    @JsonCreator
    public static StageName of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
