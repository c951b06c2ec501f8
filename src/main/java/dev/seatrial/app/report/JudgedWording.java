package dev.seatrial.app.report;

import dev.seatrial.app.bench.DefaultJudge;
import dev.seatrial.app.bench.Judge;
import dev.seatrial.app.bench.Texts;
import dev.seatrial.app.bench.TrialVerdict;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Gate;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Chinese sentences, written again from the same measurements and findings as the stored English ones. Where the English
 * sentence cannot be made again from them (another policy then, words of a vendor), the stored one stays.
 */
public final class JudgedWording implements Wording {
    private final Texts texts;
    private final Judge judge;

    public JudgedWording(Texts texts, Judge judge) {
        this.texts = texts;
        this.judge = judge;
    }

    /** With the data that ships with the program. */
    public static JudgedWording load() {
        return new JudgedWording(Texts.load(), DefaultJudge.load());
    }

    @Override
    public String message(Finding finding, Locale locale) {
        return chinese(locale) ? texts.finding(finding, locale).message() : finding.message();
    }

    @Override
    public String next(Finding finding, Locale locale) {
        return chinese(locale) ? texts.finding(finding, locale).next() : finding.next();
    }

    @Override
    public String metric(String name, Locale locale) {
        return texts.metric(name, locale);
    }

    @Override
    public String reason(StageResult stage, Locale locale) {
        return chinese(locale) && texts.reason(stage, Locale.ENGLISH).equals(stage.reason())
                ? texts.reason(stage, locale)
                : stage.reason();
    }

    @Override
    public String reason(TrialRow trial, Optional<Plan> plan, List<StageResult> stages, Locale locale) {
        if (!chinese(locale) || trial.reason().isEmpty()) {
            return trial.reason();
        }
        Optional<StageResult> said =
                stages.stream().filter(s -> s.reason().equals(trial.reason())).reduce((first, later) -> later);
        if (said.isPresent()) {
            return reason(said.get(), locale);
        }
        return plan.flatMap(p -> joined(p, trial, stages, locale))
                .or(() -> gate(trial, stages, locale))
                .orElse(trial.reason());
    }

    /** The sentence over all stages, such as that of a pass. */
    private Optional<String> joined(Plan plan, TrialRow trial, List<StageResult> stages, Locale locale) {
        Optional<Candidate> candidate = plan.candidates().stream()
                .filter(c -> c.name().equals(trial.candidate()))
                .findFirst();
        return candidate
                .map(c -> TrialVerdict.ofResults(plan, c, stages, judge))
                .filter(v -> v.reason().equals(trial.reason()))
                .map(v -> texts.reason(v, stages, locale));
    }

    /** Why the gate stayed shut: each of its reasons begins with a stage's or a metric's name. */
    private Optional<String> gate(TrialRow trial, List<StageResult> stages, Locale locale) {
        Map<String, StageResult> single = new LinkedHashMap<>();
        stages.stream()
                .filter(s -> s.phase() == Phase.SINGLE)
                .forEach(s -> single.put(s.stage().word(), s));
        List<StageSummary> summaries =
                single.values().stream().map(judge::summary).toList();
        List<String> reasons = Gate.of(summaries).reasons();
        if (reasons.isEmpty() || !String.join("; ", reasons).equals(trial.reason())) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>();
        for (String reason : reasons) {
            String name = reason.substring(0, Math.max(0, reason.indexOf(": ")));
            StageResult stage = single.get(name);
            if (stage == null) {
                Verdict verdict = verdict(name, single.values());
                words.add(texts.metric(name, locale) + "：" + texts.verdict(verdict, locale));
            } else {
                words.add(texts.stage(stage.stage(), locale) + "：" + reason(stage, locale));
            }
        }
        return Optional.of(String.join("；", words));
    }

    private static Verdict verdict(String metric, Collection<StageResult> stages) {
        return stages.stream()
                .flatMap(s -> s.measurements().stream())
                .filter(m -> m.name().equals(metric))
                .map(Measurement::verdict)
                .reduce(Verdict::worse)
                .orElse(Verdict.UNKNOWN);
    }

    private static boolean chinese(Locale locale) {
        return locale.getLanguage().equals("zh");
    }
}
