package dev.seatrial.domain.measure;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whose a finding is. */
public enum Owner {
    VENDOR,
    IMAGE,
    TRANSPORT,
    OURS,
    UNKNOWN;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads a word; anything unknown is {@link #UNKNOWN}. */
    @JsonCreator
    public static Owner of(String word) {
        for (Owner o : values()) {
            if (o.word().equals(word)) {
                return o;
            }
        }
        return UNKNOWN;
    }
}
