package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.GateSaving;
import dev.seatrial.app.report.ReportModel.Lease;
import dev.seatrial.app.report.ReportModel.Noticed;
import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Puts a {@link ReportModel} into words. */
final class ViewBuilder {
    static final int WORD = 120;
    static final int SENTENCE = 1_000;
    private static final int EVIDENCE = 4_000;

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
                new FiguresView(model, m, wording).sections(),
                savings(),
                new LeasesView(model, m).lines(),
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
        facts.add(new ReportView.Fact(m.text("fact.started"), Times.moment(e.startedAt())));
        facts.add(new ReportView.Fact(
                m.text("fact.ended"),
                e.endedAt()
                        .map(at -> m.text("fact.endedAfter", Times.moment(at), Times.took(m, e.startedAt(), at)))
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
        return verdict(m, verdict);
    }

    static String verdict(Messages m, Optional<Verdict> verdict) {
        return verdict.map(v -> m.text("verdict." + v.name())).orElse(m.text("verdict.none"));
    }

    static String style(Optional<Verdict> verdict) {
        return verdict.map(v -> v.name().toLowerCase(Locale.ROOT)).orElse("none");
    }

    String reason(Trial t) {
        return HostileText.line(wording.reason(t.row(), model.plan(), t.stages(), m.locale()), SENTENCE);
    }

    String stoppedAt(Trial t) {
        return t.row()
                .stoppedAt()
                .map(this::place)
                .orElse(t.row().verdict().isPresent() ? m.text("stopped.nowhere") : "–");
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
                rung(m, s.phase(), s.gpus()),
                s.attempt() > 1 ? m.text("stage.again", stage) : stage,
                verdict(Optional.of(s.verdict())),
                style(Optional.of(s.verdict())),
                HostileText.line(wording.reason(s, m.locale()), SENTENCE),
                s.endedAt().map(end -> Times.took(m, s.startedAt(), end)).orElse(""));
    }

    static String rung(Messages m, Phase phase, int gpus) {
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
                rung(m, n.stage().phase(), n.stage().gpus())
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
}
