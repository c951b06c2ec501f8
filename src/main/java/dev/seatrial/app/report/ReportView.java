package dev.seatrial.app.report;

import java.util.List;

/**
 * What the templates print: every text is in the reader's language, cleaned by {@link HostileText}, and not yet escaped.
 * Public so that the template engine may read it.
 *
 * @param m words of the language, by key
 */
public record ReportView(
        String language,
        String title,
        java.util.Map<String, String> m,
        String watermark,
        String simulatedNote,
        String status,
        String statusClass,
        String note,
        List<Fact> facts,
        List<Card> cards,
        List<FactRow> machines,
        List<Section> sections,
        List<String> savings,
        List<LeaseLine> leases,
        List<String> limits) {
    /** A label and its value. */
    public record Fact(String label, String value) {}

    /** One fact about each machine, in the order of the cards; empty where it is not known. */
    public record FactRow(String label, List<String> values, boolean differs) {}

    /**
     * One candidate.
     *
     * @param releasedClass {@code pass}, {@code fail} or {@code none}
     */
    public record Card(
            String name,
            String provider,
            boolean simulated,
            String verdict,
            String verdictClass,
            String reason,
            String spent,
            String stoppedAt,
            String released,
            String releasedClass,
            List<Badge> coverage,
            List<StageLine> stages,
            List<FindingView> findings,
            List<String> notes) {}

    /** A short judged word. */
    public record Badge(String label, String word, String style) {}

    /** A stage's outcome. */
    public record StageLine(
            String rung, String stage, String verdict, String verdictClass, String reason, String took) {}

    /** A finding; its evidence as lines, and shortened to one line. */
    public record FindingView(
            String code,
            String severity,
            String style,
            String owner,
            String where,
            String message,
            String next,
            String evidence,
            String evidenceLine) {}

    /** One stage of one rung. */
    public record Section(String title, List<Row> rows) {}

    /** One metric over all candidates. */
    public record Row(String label, String detail, String unit, String reference, String source, List<Cell> cells) {}

    /**
     * One figure.
     *
     * @param present whether there is one
     * @param bar SVG lengths out of 100, or empty strings when there is no ratio
     */
    public record Cell(
            boolean present,
            String value,
            String ratio,
            String reference,
            String verdict,
            String verdictClass,
            String detail,
            Bar bar) {}

    /** A bar against its reference: all in units of an SVG that is 100 wide. */
    public record Bar(boolean shown, String length, String bandFrom, String bandWidth, String mark) {}

    /** A lease and how it ended. */
    public record LeaseLine(
            String candidate,
            String phase,
            String id,
            String instance,
            String gpus,
            String price,
            String requested,
            String ready,
            String releasedLabel,
            String released,
            String cost,
            String state,
            String proof,
            String proofClass,
            String note,
            List<String> story) {}
}
