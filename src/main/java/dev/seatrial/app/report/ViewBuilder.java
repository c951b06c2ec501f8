package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.GateSaving;
import dev.seatrial.app.report.ReportModel.Lease;
import dev.seatrial.app.report.ReportModel.Noticed;
import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Puts a {@link ReportModel} into words. */
final class ViewBuilder {
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int WORD = 120;
    private static final int SENTENCE = 1_000;
    private static final int EVIDENCE = 4_000;
    /** Full width of a bar: ratios above it are cut off there. */
    private static final double BAR_MAX = 1.25;
    /** Above this a ratio says no more: the reference was a floor. */
    private static final double RATIO_MAX = 2;
    /** What the network stage calls the place this program runs at. */
    private static final String THIS_SERVICE = "this service";

    private final ReportModel model;
    private final Messages m;
    private final Wording wording;

    ViewBuilder(ReportModel model, Messages messages, Wording wording) {
        this.model = model;
        this.m = messages;
        this.wording = wording;
    }

    ReportView view() {
        EvaluationRow e = model.evaluation();
        return new ReportView(
                m.language().equals("zh") ? "zh-CN" : "en",
                HostileText.line(e.planName(), WORD),
                m.words(),
                model.allSimulated() ? m.text("watermark") : "",
                simulatedNote(),
                m.text("status." + e.status().word()),
                statusClass(),
                HostileText.line(e.note(), SENTENCE),
                facts(),
                model.trials().stream().map(this::card).toList(),
                machines(),
                sections(),
                savings(),
                model.trials().stream().flatMap(t -> leaseLines(t).stream()).toList(),
                limits());
    }

    /** What must be said about simulation; empty when nothing is simulated. */
    String simulatedNote() {
        if (model.allSimulated()) {
            return m.text("simulated.all");
        }
        List<String> names = model.simulated();
        return names.isEmpty()
                ? ""
                : m.text(
                        "simulated.some",
                        names.stream()
                                .map(n -> HostileText.line(n, WORD))
                                .collect(Collectors.joining(m.text("comma"))));
    }

    private String statusClass() {
        return switch (model.evaluation().status()) {
            case COMPLETED -> "pass";
            case RUNNING, AWAITING_APPROVAL -> "unknown";
            case STOPPED_BY_BUDGET, CANCELLED, INTERRUPTED, NOTHING_RENTED -> "warn";
            case FAILED -> "fail";
        };
    }

    private List<ReportView.Fact> facts() {
        EvaluationRow e = model.evaluation();
        List<ReportView.Fact> facts = new ArrayList<>();
        facts.add(new ReportView.Fact(m.text("fact.evaluation"), e.id()));
        facts.add(new ReportView.Fact(m.text("fact.started"), MOMENT.format(e.startedAt())));
        facts.add(new ReportView.Fact(
                m.text("fact.ended"),
                e.endedAt()
                        .map(at -> m.text("fact.endedAfter", MOMENT.format(at), took(e.startedAt(), at)))
                        .orElse(m.text("fact.notEnded"))));
        facts.add(
                new ReportView.Fact(m.text("fact.spent"), spentOf(model.spend().spent(), model.cap())));
        if (!model.spend().reserved().isZero()) {
            facts.add(new ReportView.Fact(
                    m.text("fact.reserved"), Amounts.withCurrency(model.spend().reserved())));
        }
        if (!model.spend().overrun().isZero()) {
            facts.add(new ReportView.Fact(
                    m.text("fact.overrun"), Amounts.withCurrency(model.spend().overrun())));
        }
        facts.add(new ReportView.Fact(m.text("fact.planHash"), HostileText.line(e.planHash(), 16)));
        return facts;
    }

    /** e.g. {@code 0.42 of 20.00 CNY}. */
    String spentOf(org.joda.money.BigMoney spent, org.joda.money.BigMoney cap) {
        return m.text(
                "spentOf",
                Amounts.brief(spent),
                Amounts.brief(cap),
                cap.getCurrencyUnit().getCode());
    }

    private ReportView.Card card(Trial t) {
        return new ReportView.Card(
                HostileText.line(t.row().candidate(), WORD),
                HostileText.line(t.row().provider(), WORD),
                t.row().simulated(),
                verdict(t.row().verdict()),
                style(t.row().verdict()),
                reason(t),
                spentOf(t.spend().spent(), t.cap()),
                stoppedAt(t),
                released(t),
                releasedClass(t),
                List.of(
                        coverage("environment", t.row().coverage().environment()),
                        coverage("performance", t.row().coverage().performance()),
                        coverage("stability", t.row().coverage().stability())),
                t.stages().stream().map(this::stageLine).toList(),
                t.findings().stream().map(this::finding).toList(),
                t.notes().stream().map(this::note).toList());
    }

    private String note(ReportModel.Note n) {
        String text = m.text("labelled", HostileText.line(n.code(), WORD), HostileText.line(n.words(), SENTENCE));
        return n.times() > 1 ? m.text("times", text, n.times()) : text;
    }

    String verdict(Optional<Verdict> verdict) {
        return verdict.map(v -> m.text("verdict." + v.name())).orElse(m.text("verdict.none"));
    }

    static String style(Optional<Verdict> verdict) {
        return verdict.map(v -> v.name().toLowerCase(Locale.ROOT)).orElse("none");
    }

    String reason(Trial t) {
        return HostileText.line(wording.reason(t.row(), model.plan(), t.stages(), m.locale()), SENTENCE);
    }

    String stoppedAt(Trial t) {
        return t.row().stoppedAt().map(this::place).orElse(m.text("stopped.nowhere"));
    }

    /** {@code single/compute}, {@code multi-8/provisioning}, {@code gate}: each part by its word. */
    private String place(String at) {
        List<String> words = new ArrayList<>();
        for (String part : HostileText.line(at, WORD).split("/")) {
            if (part.startsWith("multi-")) {
                words.add(m.text("phase.multiOf", part.substring("multi-".length())));
            } else {
                words.add(m.orElse("place." + part, m.orElse("stage." + part, part)));
            }
        }
        return String.join(m.text("placeJoin"), words);
    }

    String released(Trial t) {
        long open = t.leases().stream()
                .filter(l ->
                        l.proof().kind() == ReleaseProof.Kind.OPEN || l.proof().kind() == ReleaseProof.Kind.NOT_SENT)
                .count();
        long real = t.leases().stream()
                .filter(l -> l.proof().kind() != ReleaseProof.Kind.NEVER_CREATED)
                .count();
        boolean borrowed = t.leases().stream().anyMatch(l -> l.proof().kind() == ReleaseProof.Kind.HANDED_BACK);
        if (open > 0) {
            return m.text("released.no", open, real);
        }
        if (real == 0) {
            return m.text("released.nothing");
        }
        return borrowed ? m.text("released.handedBack") : m.text("released.yes", real);
    }

    static String releasedClass(Trial t) {
        if (!t.nothingOpen()) {
            return "fail";
        }
        boolean borrowed = t.leases().stream().anyMatch(l -> l.proof().kind() == ReleaseProof.Kind.HANDED_BACK);
        boolean any = t.leases().stream()
                .anyMatch(l -> l.proof().kind() == ReleaseProof.Kind.PROVEN
                        || l.proof().kind() == ReleaseProof.Kind.RETURNED);
        return borrowed ? "warn" : any ? "pass" : "none";
    }

    private ReportView.Badge coverage(String what, CoverageLevel level) {
        String style =
                switch (level) {
                    case EXCLUDED -> "pass";
                    case FOUND -> "fail";
                    case NOT_TESTED -> "none";
                };
        return new ReportView.Badge(m.text("coverage." + what), m.text("coverage.level." + level.word()), style);
    }

    private ReportView.StageLine stageLine(StageResult s) {
        String stage = m.text("stage." + s.stage().word());
        return new ReportView.StageLine(
                rung(s.phase(), s.gpus()),
                s.attempt() > 1 ? m.text("stage.again", stage) : stage,
                verdict(Optional.of(s.verdict())),
                style(Optional.of(s.verdict())),
                HostileText.line(wording.reason(s, m.locale()), SENTENCE),
                s.endedAt().map(end -> took(s.startedAt(), end)).orElse(""));
    }

    private String rung(Phase phase, int gpus) {
        if (phase == Phase.MULTI) {
            return m.text("phase.multiOf", gpus);
        }
        return gpus == 0 ? m.text("phase.noGpu") : m.text("phase.single");
    }

    private ReportView.FindingView finding(Noticed n) {
        return new ReportView.FindingView(
                HostileText.line(n.finding().code(), WORD),
                m.text("severity." + n.finding().severity().word()),
                severityStyle(n.finding().severity()),
                m.text("owner." + n.finding().owner().word()),
                rung(n.stage().phase(), n.stage().gpus())
                        + m.text("placeJoin")
                        + m.text("stage." + n.stage().stage().word()),
                HostileText.line(wording.message(n.finding(), m.locale()), SENTENCE),
                HostileText.line(wording.next(n.finding(), m.locale()), SENTENCE),
                HostileText.block(n.finding().evidence(), EVIDENCE),
                HostileText.line(n.finding().evidence(), EVIDENCE / 10));
    }

    private static String severityStyle(Severity severity) {
        return switch (severity) {
            case FAIL -> "fail";
            case WARN -> "warn";
            case INFO -> "none";
        };
    }

    private List<ReportView.FactRow> machines() {
        List<ReportView.FactRow> rows = new ArrayList<>();
        for (String key : MachineFacts.KEYS) {
            List<String> values = model.trials().stream()
                    .map(t -> HostileText.line(t.machine().values().getOrDefault(key, ""), WORD))
                    .toList();
            List<String> known =
                    values.stream().filter(v -> !v.isEmpty()).distinct().toList();
            if (!known.isEmpty()) {
                rows.add(new ReportView.FactRow(m.text("machine." + key), values, known.size() > 1));
            }
        }
        return rows;
    }

    private List<ReportView.Section> sections() {
        return Comparison.of(model.trials()).sections().stream()
                .map(s -> new ReportView.Section(
                        rung(s.phase(), s.gpus())
                                + m.text("placeJoin")
                                + m.text("stage." + s.stage().word()),
                        s.rows().stream().map(r -> row(s.stage(), r)).toList()))
                .toList();
    }

    private ReportView.Row row(StageName stage, Comparison.Row r) {
        String name = HostileText.line(r.name(), WORD);
        // A task's figures carry the user's names, which may be those of ours.
        boolean ours = stage != StageName.TASK || name.startsWith("task_");
        String label = ours ? capital(wording.metric(name, m.locale())) : name;
        Optional<Reference> shared = r.reference();
        return new ReportView.Row(
                label,
                r.qualifier().equals(THIS_SERVICE) ? m.text("thisService") : HostileText.line(r.qualifier(), WORD),
                HostileText.line(r.unit(), WORD),
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
                HostileText.line(r.source(), SENTENCE),
                HostileText.line(r.date(), WORD),
                m.orElse("quality." + r.quality(), HostileText.line(r.quality(), WORD)),
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
                c.ratio().filter(Double::isFinite).map(ViewBuilder::ratio).orElse(""),
                ownReference ? c.reference().map(r -> Amounts.number(r.value())).orElse("") : "",
                plain ? m.text("noReference") : verdict(Optional.of(c.verdict())),
                plain ? "none" : style(Optional.of(c.verdict())),
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

    /** What the gate saved; empty when it saved nothing. */
    List<String> savings() {
        return model.savings().stream().map(this::saving).toList();
    }

    private String saving(GateSaving s) {
        return m.text(
                "saving",
                HostileText.line(s.candidate(), WORD),
                Amounts.withCurrency(s.amount()),
                s.gpus().stream().map(String::valueOf).collect(Collectors.joining(m.text("comma"))),
                Amounts.withCurrency(s.perGpuHour()),
                s.minutes());
    }

    /** Requests that were refused with the same words share a line: waiting for capacity can make dozens of them. */
    private List<ReportView.LeaseLine> leaseLines(Trial t) {
        Map<String, Integer> alike = new HashMap<>();
        List<Lease> shown = new ArrayList<>();
        for (Lease l : t.leases()) {
            if (alike.merge(alike(l), 1, Integer::sum) == 1) {
                shown.add(l);
            }
        }
        return shown.stream()
                .map(l -> leaseLine(t, l, alike.getOrDefault(alike(l), 1)))
                .toList();
    }

    private static String alike(Lease l) {
        return l.proof().kind() == ReleaseProof.Kind.NEVER_CREATED
                ? l.row().phase() + " " + l.row().gpus() + " " + l.row().note()
                : l.row().id();
    }

    private ReportView.LeaseLine leaseLine(Trial t, Lease l, int times) {
        LeaseRow row = l.row();
        return new ReportView.LeaseLine(
                HostileText.line(t.row().candidate(), WORD),
                m.text("phase." + row.phase().word() + ".short"),
                row.id(),
                row.instance().map(i -> HostileText.line(i.value(), WORD)).orElse("–"),
                String.valueOf(row.gpus()),
                m.text("perHour", Amounts.withCurrency(row.pricing().totalHourly())),
                MOMENT.format(row.timing().requestedAt()),
                row.readyAt()
                        .map(at -> m.text("readyAfter", took(row.timing().requestedAt(), at)))
                        .orElse("–"),
                m.text(row.state() == LeaseState.HANDED_BACK ? "labelHandedBack" : "labelReleasedAt"),
                row.releasedAt().map(MOMENT::format).orElse("–"),
                row.cost().map(Amounts::withCurrency).orElse("–"),
                m.text("state." + row.state().name()),
                proof(l),
                proofClass(l.proof().kind()),
                times > 1
                        ? m.text("times", HostileText.line(row.note(), SENTENCE), times)
                        : HostileText.line(row.note(), SENTENCE),
                l.events().stream()
                        .map(e -> CLOCK.format(e.at()) + "  " + HostileText.line(e.type(), 40) + "  "
                                + HostileText.line(e.detail(), 300))
                        .toList());
    }

    private String proof(Lease l) {
        ReleaseProof p = l.proof();
        return switch (p.kind()) {
            case PROVEN -> {
                List<String> parts = new ArrayList<>();
                parts.add(m.text("proof.gone"));
                if (!p.absent().isEmpty()) {
                    parts.add(m.text(
                            "proof.absent",
                            p.absent().size(),
                            CLOCK.format(p.absent().get(0)),
                            CLOCK.format(p.absent().get(p.absent().size() - 1))));
                }
                if (p.refused() > 0) {
                    parts.add(m.text("proof.refused", p.asked(), p.refused()));
                }
                yield String.join(m.text("semicolon"), parts);
            }
            case HANDED_BACK -> m.text("proof.handedBack", l.row().id());
            case RETURNED -> m.text("proof.returned");
            case NEVER_CREATED -> m.text("proof.never");
            case NOT_SENT -> m.text("proof.notSent");
            case OPEN -> m.text("proof.open");
        };
    }

    private static String proofClass(ReleaseProof.Kind kind) {
        return switch (kind) {
            case PROVEN, RETURNED -> "pass";
            case HANDED_BACK -> "warn";
            case NEVER_CREATED -> "none";
            case NOT_SENT, OPEN -> "fail";
        };
    }

    /** What these figures cannot show. */
    private List<String> limits() {
        List<String> limits = new ArrayList<>();
        limits.add(m.text("limit.oneMachine"));
        limits.add(m.text("limit.hours"));
        if (model.trials().stream().anyMatch(t -> t.row().coverage().stability() == CoverageLevel.NOT_TESTED)) {
            limits.add(m.text("limit.stability"));
        }
        limits.add(m.text("limit.worst"));
        List<String> firstUse = model.trials().stream()
                .filter(t -> t.leases().stream().anyMatch(ViewBuilder::trustedOnFirstUse))
                .map(t -> HostileText.line(t.row().candidate(), WORD))
                .toList();
        if (!firstUse.isEmpty()) {
            limits.add(m.text("limit.hostKey", String.join(m.text("comma"), firstUse)));
        }
        return limits;
    }

    private static boolean trustedOnFirstUse(Lease l) {
        return l.events().stream()
                .anyMatch(e -> e.type().equals("host-key") && e.detail().contains("first use"));
    }

    private String took(Instant from, Instant to) {
        Duration d = Duration.between(from, to);
        if (d.isNegative()) {
            return "–";
        }
        if (d.toSeconds() < 60) {
            return m.text("took.seconds", d.toMillis() < 10_000 ? tenths(d) : String.valueOf(d.toSeconds()));
        }
        return d.toHours() == 0
                ? m.text("took.minutes", d.toMinutes(), d.toSecondsPart())
                : m.text("took.hours", d.toHours(), d.toMinutesPart());
    }

    private static String tenths(Duration d) {
        return String.format(Locale.ROOT, "%.1f", d.toMillis() / 1000.0);
    }
}
