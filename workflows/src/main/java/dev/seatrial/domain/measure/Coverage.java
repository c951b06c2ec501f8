package dev.seatrial.domain.measure;

/** What this trial excluded, found, or did not test. */
public record Coverage(CoverageLevel environment, CoverageLevel performance, CoverageLevel stability) {
    public static final Coverage NOTHING =
            new Coverage(CoverageLevel.NOT_TESTED, CoverageLevel.NOT_TESTED, CoverageLevel.NOT_TESTED);
}
