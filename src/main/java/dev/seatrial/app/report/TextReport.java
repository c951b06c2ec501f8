package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.EvaluationStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What a terminal shows at the end: one table, what the gate saved, where the report is, what to do next. */
final class TextReport {
    private static final int LEAST = 40;
    private static final int REASON = 2;
    private static final int LEAST_REASON = 20;
    private static final int[] NATURAL = {24, 12, Integer.MAX_VALUE, 40, 30, 30};
    /** Columns that may wrap when the terminal is narrow keep at least this, and their longest word. */
    private static final int[] NARROW = {16, 10, Integer.MAX_VALUE, 10, 8, 11};

    private static final int GAP = 2;
    private static final String RESET = "\u001b[0m";

    private final ReportModel model;
    private final Messages m;
    private final ViewBuilder words;
    private final String command;
    private final int columns;
    private final boolean color;

    /**
     * @param command how the user starts this program
     * @param columns width of the terminal
     * @param color whether to send ANSI colours
     */
    TextReport(ReportModel model, Messages messages, Wording wording, String command, int columns, boolean color) {
        this.model = model;
        this.m = messages;
        this.words = new ViewBuilder(model, messages, wording);
        this.command = command;
        this.columns = Math.max(columns, LEAST);
        this.color = color;
    }

    /** @param html the report's HTML file, when it has been written */
    String text(Optional<Path> html) {
        List<String> out = new ArrayList<>();
        String simulated = words.simulatedNote();
        if (!simulated.isEmpty()) {
            wrapped(out, simulated, "33");
            out.add("");
        }
        wrapped(
                out,
                m.text(
                        "text.head",
                        HostileText.line(model.evaluation().planName(), 80),
                        model.evaluation().id(),
                        m.text("status." + model.evaluation().status().word()),
                        words.spentOf(model.spend().spent(), model.cap())),
                "1");
        String note = HostileText.line(model.evaluation().note(), 500);
        if (!note.isEmpty()) {
            wrapped(out, note, "");
        }
        out.add("");
        table(out);
        out.add("");
        words.savings().forEach(s -> wrapped(out, s, "32"));
        if (!model.spend().overrun().isZero()) {
            wrapped(
                    out,
                    m.text("text.overrun", Amounts.withCurrency(model.spend().overrun())),
                    "31");
        }
        if (!model.nothingOpen()) {
            wrapped(out, m.text("text.open"), "31");
        }
        // A path is never broken, so that it can be copied.
        html.ifPresent(file -> out.add(m.text("text.report", file)));
        out.add(m.text("text.next"));
        List<Next> next = next(html.isPresent());
        int longest = next.stream().mapToInt(n -> n.args().length()).max().orElse(0);
        next.forEach(n ->
                out.add("  " + command + " " + TextWidth.pad(n.args(), longest) + "   " + m.text("next." + n.why())));
        return String.join("\n", out) + "\n";
    }

    private void wrapped(List<String> out, String text, String style) {
        TextWidth.wrap(text, columns).forEach(line -> out.add(styled(line, style)));
    }

    private String styled(String text, String style) {
        return color && !style.isEmpty() ? "\u001b[" + style + "m" + text + RESET : text;
    }

    /** A command worth running next, and the key of what it is for. */
    private record Next(String args, String why) {}

    private record Line(List<String> cells, String verdictStyle, String releasedStyle) {}

    private void table(List<String> out) {
        List<String> heads = List.of(
                m.text("col.vendor"),
                m.text("col.verdict"),
                m.text("col.reason"),
                m.text("col.spent"),
                m.text("col.stopped"),
                m.text("col.released"));
        List<Line> lines = model.trials().stream().map(this::line).toList();
        Optional<int[]> fitting = widths(heads, lines, NATURAL).or(() -> widths(heads, lines, NARROW));
        if (fitting.isEmpty()) {
            stacked(out, heads, lines);
            return;
        }
        int[] widths = fitting.get();
        row(out, new Line(heads, "1", "1"), widths, "1");
        int total = GAP * (widths.length - 1);
        for (int width : widths) {
            total += width;
        }
        out.add("─".repeat(total));
        lines.forEach(l -> row(out, l, widths, ""));
    }

    /** Widths of the columns within these limits, the reason taking what is left; empty when that is too little. */
    private Optional<int[]> widths(List<String> heads, List<Line> lines, int[] most) {
        int[] widths = new int[heads.size()];
        int others = GAP * (widths.length - 1);
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            int cells = lines.stream()
                    .mapToInt(l -> TextWidth.of(l.cells().get(column)))
                    .max()
                    .orElse(0);
            int word = Math.max(
                    longestWord(heads.get(i)),
                    lines.stream()
                            .mapToInt(l -> longestWord(l.cells().get(column)))
                            .max()
                            .orElse(0));
            int limit = Math.max(most[i], Math.min(word, NATURAL[i]));
            widths[i] = Math.min(Math.max(TextWidth.of(heads.get(i)), cells), limit);
            others += i == REASON ? 0 : widths[i];
        }
        widths[REASON] = Math.min(widths[REASON], columns - others);
        return columns - others < LEAST_REASON ? Optional.empty() : Optional.of(widths);
    }

    private static int longestWord(String text) {
        return Arrays.stream(text.split(" ")).mapToInt(TextWidth::of).max().orElse(0);
    }

    private void row(List<String> out, Line l, int[] widths, String style) {
        List<List<String>> parts = new ArrayList<>();
        for (int i = 0; i < widths.length; i++) {
            parts.add(TextWidth.wrap(l.cells().get(i), widths[i]));
        }
        int height = parts.stream().mapToInt(List::size).max().orElse(1);
        for (int y = 0; y < height; y++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = y < parts.get(i).size() ? parts.get(i).get(y) : "";
                String gap = i == widths.length - 1 ? "" : " ".repeat(widths[i] + GAP - TextWidth.of(cell));
                text.append(cell.isEmpty() ? "" : styled(cell, style.isEmpty() ? styleOf(i, l) : style))
                        .append(gap);
            }
            out.add(text.toString().stripTrailing());
        }
    }

    private static String styleOf(int column, Line line) {
        return switch (column) {
            case 1 -> line.verdictStyle();
            case 5 -> line.releasedStyle();
            default -> "";
        };
    }

    /** For narrow terminals: one block for each candidate. */
    private void stacked(List<String> out, List<String> heads, List<Line> lines) {
        for (Line l : lines) {
            out.add(styled(l.cells().get(0), "1") + "  " + styled(l.cells().get(1), l.verdictStyle()));
            TextWidth.wrap(l.cells().get(2), columns - 2).forEach(part -> out.add("  " + part));
            for (int i = 3; i < heads.size(); i++) {
                String text = m.text("labelled", heads.get(i), l.cells().get(i));
                String style = styleOf(i, l);
                TextWidth.wrap(text, columns - 2).forEach(part -> out.add("  " + styled(part, style)));
            }
        }
    }

    private Line line(Trial t) {
        String name = HostileText.line(t.row().candidate(), 60);
        // In an evaluation that mixes both, every simulated line says so itself.
        boolean mark = t.row().simulated() && !model.allSimulated();
        return new Line(
                List.of(
                        mark ? m.text("text.simulatedName", name) : name,
                        words.verdict(t.row().verdict()),
                        words.reason(t),
                        words.spentOf(t.spend().spent(), t.cap()),
                        words.stoppedAt(t),
                        words.released(t)),
                ansi(ViewBuilder.style(t.row().verdict())),
                ansi(ViewBuilder.releasedClass(t)));
    }

    private static String ansi(String style) {
        return switch (style) {
            case "pass" -> "32";
            case "warn", "unknown" -> "33";
            case "fail" -> "31;1";
            default -> "";
        };
    }

    private List<Next> next(boolean written) {
        String id = model.evaluation().id();
        EvaluationStatus status = model.evaluation().status();
        List<Next> all = new ArrayList<>();
        if (!model.nothingOpen()) {
            add(all, "leases", "leases");
            if (status.ended()) {
                add(all, "sweep", "sweep");
            }
        }
        model.trials().stream()
                .flatMap(t -> t.leases().stream())
                .filter(l -> l.proof().kind() == ReleaseProof.Kind.HANDED_BACK)
                .forEach(l -> add(all, "release " + l.row().id(), "confirm"));
        if (status == EvaluationStatus.INTERRUPTED) {
            add(all, "resume " + id, "resume");
        }
        if (status == EvaluationStatus.AWAITING_APPROVAL) {
            model.trials().stream()
                    .filter(t -> t.row().state().equals("approval"))
                    .forEach(t -> add(all, "approve " + id + " " + t.row().candidate(), "approve"));
        }
        if (!status.ended()) {
            add(all, "cancel " + id, "cancel");
        }
        add(all, "show " + id, "show");
        if (!written) {
            add(all, "report " + id, "report");
        }
        if (model.allSimulated()) {
            add(all, "init", "init");
        }
        add(all, "report " + id + " --lang " + (m.language().equals("zh") ? "en" : "zh"), "reportOther");
        add(all, "evaluations", "evaluations");
        return all.subList(0, 3);
    }

    private static void add(List<Next> all, String args, String why) {
        all.add(new Next(args, why));
    }
}
