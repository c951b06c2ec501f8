package dev.seatrial.domain.plan;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** One GPU, or several. */
public enum Phase {
    SINGLE,
    MULTI;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException for a word that names no phase */
    @JsonCreator
    public static Phase of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
