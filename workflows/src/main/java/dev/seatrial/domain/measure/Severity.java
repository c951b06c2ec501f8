package dev.seatrial.domain.measure;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How much a finding weighs. */
public enum Severity {
    INFO,
    WARN,
    FAIL;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads a word; anything unknown is {@link #INFO}. */
    @JsonCreator
    public static Severity of(String word) {
        for (Severity s : values()) {
            if (s.word().equals(word)) {
                return s;
            }
        }
        return INFO;
    }
}
