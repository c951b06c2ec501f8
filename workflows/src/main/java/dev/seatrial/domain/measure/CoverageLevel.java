package dev.seatrial.domain.measure;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a trial can say about one kind of trouble. */
public enum CoverageLevel {
    /** Tested, and no such trouble was there. */
    EXCLUDED,
    /** Tested, and trouble was found. */
    FOUND,
    NOT_TESTED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    public static CoverageLevel of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
