package dev.seatrial.app.report;

import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Puts the side-by-side figures into words and bars. */
final class FiguresView {
    /** Full width of a bar: ratios above it are cut off there. */
    private static final double BAR_MAX = 1.25;
    /** Above this a ratio says no more: the reference was a floor. */
    private static final double RATIO_MAX = 2;
    /** What the network stage calls the place this program runs at. */
    private static final String THIS_SERVICE = "this service";

    private final ReportModel model;
    private final Messages m;
    private final Wording wording;

    FiguresView(ReportModel model, Messages messages, Wording wording) {
        this.model = model;
        this.m = messages;
        this.wording = wording;
    }

    List<ReportView.Section> sections() {
        return Comparison.of(model.trials()).sections().stream()
                .map(s -> new ReportView.Section(
                        ViewBuilder.rung(m, s.phase(), s.gpus())
                                + m.text("placeJoin")
                                + m.text("stage." + s.stage().word()),
                        s.rows().stream().map(r -> row(s.stage(), r)).toList()))
                .toList();
    }

    private ReportView.Row row(StageName stage, Comparison.Row r) {
        String name = HostileText.line(r.name(), ViewBuilder.WORD);
        // A task's figures carry the user's names, which may be those of ours.
        boolean ours = stage != StageName.TASK || name.startsWith("task_");
        String label = ours ? capital(wording.metric(name, m.locale())) : name;
        Optional<Reference> shared = r.reference();
        return new ReportView.Row(
                label,
                r.qualifier().equals(THIS_SERVICE)
                        ? m.text("thisService")
                        : HostileText.line(r.qualifier(), ViewBuilder.WORD),
                HostileText.line(r.unit(), ViewBuilder.WORD),
                shared.map(f -> Amounts.number(f.value())).orElse(""),
                shared.map(this::source).orElse(""),
                model.trials().stream()
                        .map(t -> cell(Optional.ofNullable(r.cells().get(t.row().candidate())), shared.isEmpty()))
                        .toList());
    }

    private static String capital(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private String source(Reference r) {
        return m.text(
                "reference.source",
                HostileText.line(r.source(), ViewBuilder.SENTENCE),
                HostileText.line(r.date(), ViewBuilder.WORD),
                m.orElse("quality." + r.quality(), HostileText.line(r.quality(), ViewBuilder.WORD)),
                Amounts.percent(r.tolerance()));
    }

    private ReportView.Cell cell(Optional<Comparison.Cell> found, boolean ownReference) {
        if (found.isEmpty()) {
            return new ReportView.Cell(
                    false, "", "", "", m.text("notMeasured"), "none", "", new ReportView.Bar(false, "", "", "", ""));
        }
        Comparison.Cell c = found.get();
        List<String> detail = new ArrayList<>();
        if (c.figures() > 1) {
            detail.add(m.text(
                    c.perGpu() ? "cell.gpus" : "cell.figures",
                    c.figures(),
                    Amounts.number(c.low()),
                    Amounts.number(c.high())));
        }
        if (c.samples() > 1) {
            detail.add(m.text("cell.samples", c.samples(), Amounts.percent(c.cv())));
        }
        if (c.lowConfidence()) {
            detail.add(m.text("cell.lowConfidence"));
        }
        // Nothing to hold it against is no doubt about the machine.
        boolean plain = c.verdict() == Verdict.UNKNOWN && c.reference().isEmpty() && !c.lowConfidence();
        return new ReportView.Cell(
                true,
                Amounts.number(c.median()),
                c.ratio().filter(Double::isFinite).map(FiguresView::ratio).orElse(""),
                ownReference ? c.reference().map(r -> Amounts.number(r.value())).orElse("") : "",
                plain ? m.text("noReference") : ViewBuilder.verdict(m, Optional.of(c.verdict())),
                plain ? "none" : ViewBuilder.style(Optional.of(c.verdict())),
                String.join(m.text("semicolon"), detail),
                bar(c));
    }

    private static String ratio(double ratio) {
        return ratio > RATIO_MAX ? "> " + Amounts.percent(RATIO_MAX) : Amounts.percent(ratio);
    }

    private static ReportView.Bar bar(Comparison.Cell c) {
        if (c.ratio().isEmpty()
                || c.reference().isEmpty()
                || !Double.isFinite(c.ratio().get())) {
            return new ReportView.Bar(false, "", "", "", "");
        }
        double tolerance = Math.min(Math.max(c.reference().get().tolerance(), 0), BAR_MAX - 1);
        return new ReportView.Bar(
                true,
                units(Math.min(Math.max(c.ratio().get(), 0), BAR_MAX)),
                units(1 - tolerance),
                units(2 * tolerance),
                units(1));
    }

    private static String units(double ratio) {
        return String.format(Locale.ROOT, "%.1f", ratio / BAR_MAX * 100);
    }
}
