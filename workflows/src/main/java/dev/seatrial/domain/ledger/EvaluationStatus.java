package dev.seatrial.domain.ledger;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Where an evaluation stands. */
public enum EvaluationStatus {
    RUNNING,
    AWAITING_APPROVAL,
    COMPLETED,
    STOPPED_BY_BUDGET,
    CANCELLED,
    INTERRUPTED,
    NOTHING_RENTED,
    FAILED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    public static EvaluationStatus of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public boolean ended() {
        return this != RUNNING && this != AWAITING_APPROVAL;
    }
}
