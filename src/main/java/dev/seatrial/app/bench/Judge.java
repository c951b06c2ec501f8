package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;

/** Turns evidence into a judged result. Total: for any evidence it returns a result, never throws. */
public interface Judge {
    StageResult judge(StageEvidence evidence);

    /** The part of a result that workflows need. */
    StageSummary summary(StageResult result);
}
