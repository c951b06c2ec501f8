package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Findings and reasons in the user's language. Stored results keep English; Chinese is written from the same
 * measurements and findings. Any locale but Chinese reads English. Stateless; safe for many threads.
 */
public final class Texts {
    private static final double AMPLE = 1.5;

    private final Policy policy;

    public Texts(Policy policy) {
        this.policy = policy;
    }

    /** With the shipped policy. */
    public static Texts load() {
        return new Texts(Policy.load());
    }

    /**
     * A finding as people read it.
     *
     * @param message what was seen
     * @param next what to do; may be empty
     */
    public record FindingText(String message, String next) {}

    /** A finding in the user's language; a code without a translation keeps the words it came with. */
    public FindingText finding(Finding finding, Locale locale) {
        if (!Words.chinese(locale) && !finding.message().isBlank()) {
            return new FindingText(finding.message(), finding.next());
        }
        Map<String, String> values = Words.named(finding.params(), locale);
        if (finding.code().equals("NOTHING_MEASURED")) {
            values.put("why", because(finding, locale));
        }
        String code = finding.code();
        String family = code.startsWith("XID_") ? "XID" : code;
        values.putIfAbsent("xid", code.replaceFirst("^XID_", ""));
        // What shares a code and has another cause has words of its own.
        String special = code + "." + values.getOrDefault("cause", "");
        String message = Words.text(special, values, locale)
                .or(() -> Words.text(code, values, locale))
                .or(() -> Words.text(family, values, locale))
                .map(text -> withDetails(text, finding, locale))
                .orElse(finding.message());
        String next = Words.text(special + ".next", values, locale)
                .or(() -> Words.text(code + ".next", values, locale))
                .or(() -> Words.text(family + ".next", values, locale))
                .orElse(finding.next());
        return new FindingText(message, next);
    }

    /** Why a stage has its verdict, in one sentence. */
    public String reason(StageResult result, Locale locale) {
        return reason(result.stage(), Decision.of(policy, result), locale);
    }

    /**
     * Why a trial has its verdict, in one sentence.
     *
     * @param verdict the trial's verdict
     * @param results its stage results, among them the deciding one
     */
    public String reason(TrialVerdict verdict, Collection<StageResult> results, Locale locale) {
        if (!Words.chinese(locale)) {
            return verdict.reason();
        }
        String why = verdict.decidedBy()
                .flatMap(run ->
                        results.stream().filter(r -> r.stageRun().equals(run)).findFirst())
                .map(r -> reason(r, locale))
                .orElse(verdict.reason());
        return verdict.sentence(why, locale);
    }

    /** A metric's name as people read it; names without one stay as they are. */
    public String metric(String name, Locale locale) {
        return Words.metric(name, locale);
    }

    /** A stage's name as people read it. */
    public String stage(StageName stage, Locale locale) {
        return Words.sure("stage." + stage.word(), Map.of(), locale);
    }

    /** A verdict's word as people read it. */
    public String verdict(Verdict verdict, Locale locale) {
        return Words.sure("verdict." + verdict.name(), Map.of(), locale);
    }

    String reason(StageName stage, Decision decision, Locale locale) {
        if (decision.cause() instanceof Decision.ByMetric by) {
            return reason(by.measurement(), by.assessment(), locale);
        }
        if (decision.cause() instanceof Decision.ByFinding by) {
            return finding(by.finding(), locale).message();
        }
        return Words.sure("reason.nothing", Map.of("stage", stage(stage, locale)), locale);
    }

    private String reason(Measurement m, Assessment why, Locale locale) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("metric", metric(m.name(), locale));
        values.put("value", Words.number(m.value()));
        values.put("unit", unit(m.unit()));
        values.put("min", Words.number(m.min()));
        values.put("limitedBy", m.attrs().getOrDefault(Assessment.LIMITED_BY, "?"));
        boolean share = why.why() != Assessment.Why.OVER_LIMIT
                && why.why() != Assessment.Why.AT_LEAST
                && why.why() != Assessment.Why.AT_MOST;
        values.put("bar", share ? Words.percent(why.bar(), Double.NaN) : Words.number(why.bar()));
        values.put("cv", Words.number(m.cv() * 100));
        m.reference().ifPresent(r -> {
            values.put("reference", Words.number(r.value()));
            values.put("source", source(r, locale));
            double low = why.why() == Assessment.Why.DIP ? m.min() : m.value();
            values.put("percent", Words.percent(low / r.value(), why.bar()));
        });
        // Ten times what is needed is no percentage worth reading.
        boolean ample = why.why() == Assessment.Why.GOOD && m.ratio().orElse(1.0) > AMPLE;
        String key = "reason." + (ample ? "AMPLE" : why.why().name());
        return Words.sure(key, values, locale);
    }

    private String because(Finding finding, Locale locale) {
        String code = finding.params().getOrDefault("because", "");
        return Words.text(code, finding.params(), locale)
                .filter(text -> !text.contains("?"))
                .orElseGet(() -> code.isEmpty()
                        ? Words.sure("reason.silent", Map.of(), locale)
                        : finding.params().getOrDefault("why", code));
    }

    /** Chinese texts are one for each code; what the machine's own sentence adds is in its parameters. */
    private static String withDetails(String text, Finding finding, Locale locale) {
        if (!Words.chinese(locale)) {
            return text;
        }
        StringBuilder details = new StringBuilder();
        for (String key : List.of("gpu", "at", "share", "host", "path", "probe", "why", "error")) {
            String value = finding.params().getOrDefault(key, "");
            if (!value.isBlank() && !text.contains(value) && !finding.code().equals("NOTHING_MEASURED")) {
                details.append(details.isEmpty() ? "" : "，")
                        .append(Words.text("param." + key, Map.of(), locale).orElse(key))
                        .append(' ')
                        .append(value);
            }
        }
        return details.isEmpty() ? text : text.replaceFirst("。$", "") + "（" + details + "）。";
    }

    private static String source(Reference r, Locale locale) {
        return Words.text("quality." + r.quality(), Map.of(), locale).orElse(r.quality());
    }

    /** A blank before the unit, so that figures without one do not end in a blank. */
    private static String unit(String unit) {
        return unit.isBlank() ? "" : " " + unit;
    }
}
