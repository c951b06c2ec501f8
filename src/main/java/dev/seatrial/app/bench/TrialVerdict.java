package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The verdict of a trial over its stages: FAIL when any stage failed; else UNKNOWN when one of the plan's stages could
 * not tell or did not run in the single phase; else WARN when any warned or a machine failed where another did not;
 * else PASS. Repeats are joined: the last run of a stage counts, and what the earlier ones say is told beside it.
 *
 * @param verdict the verdict
 * @param reason one English sentence
 * @param decidedBy the stage run that decided, when one did
 * @param place phase and stage that decided, e.g. {@code single/compute}; may be empty
 * @param passed how many stages passed
 * @param coverage what the trial excluded, found, did not test
 * @param controls what the repeats of failed stages say
 */
public record TrialVerdict(
        Verdict verdict,
        String reason,
        Optional<String> decidedBy,
        Optional<StageName> place,
        int passed,
        Coverage coverage,
        List<Control> controls) {
    private static final Set<StageName> PERFORMANCE =
            Set.of(StageName.COMPUTE, StageName.STORAGE, StageName.NETWORK, StageName.INTERCONNECT, StageName.TASK);

    /** From judged results, in any order; of several for one stage and rung the last to start counts. */
    public static TrialVerdict ofResults(Plan plan, Candidate candidate, Collection<StageResult> results, Judge judge) {
        List<StageResult> ordered = results.stream()
                .sorted(Comparator.comparing(StageResult::startedAt).thenComparing(StageResult::attempt))
                .toList();
        return of(plan, candidate, ordered.stream().map(judge::summary).toList(), Control.of(ordered));
    }

    /** From summaries in the order in which the stages ran; of several for one stage and rung the last counts. */
    static TrialVerdict of(Plan plan, Candidate candidate, List<StageSummary> stages, List<Control> controls) {
        Map<String, StageSummary> byRung = new LinkedHashMap<>();
        for (StageSummary s : stages) {
            byRung.put(s.phase() + "/" + s.gpus() + "/" + s.stage(), s);
        }
        List<StageSummary> latest = byRung.values().stream()
                .sorted(Comparator.comparing(StageSummary::phase)
                        .thenComparing(StageSummary::gpus)
                        .thenComparing(StageSummary::stage))
                .toList();
        Coverage coverage = coverage(latest, candidate.wantsGpu(), controls);
        int passed =
                (int) latest.stream().filter(s -> s.verdict() == Verdict.PASS).count();
        for (Verdict verdict : List.of(Verdict.FAIL, Verdict.UNKNOWN)) {
            Optional<StageSummary> first =
                    latest.stream().filter(s -> s.verdict() == verdict).findFirst();
            if (first.isPresent()) {
                return decided(verdict, first.get(), passed, coverage, controls);
            }
        }
        List<StageName> missing = missing(plan, latest);
        if (!missing.isEmpty()) {
            return made(Verdict.UNKNOWN, Optional.empty(), Optional.of(missing.get(0)), passed, coverage, controls, "");
        }
        Optional<Control> badCard =
                controls.stream().filter(c -> c.kind() == Control.Kind.BAD_CARD).findFirst();
        if (badCard.isPresent()) {
            // The machine that was given first is what a customer may be given as well.
            return made(
                    Verdict.WARN,
                    Optional.of(badCard.get().failedRun()),
                    Optional.of(badCard.get().stage()),
                    passed,
                    coverage,
                    controls,
                    badCard.get().failedReason());
        }
        Optional<StageSummary> warned =
                latest.stream().filter(s -> s.verdict() == Verdict.WARN).findFirst();
        if (warned.isPresent()) {
            return decided(Verdict.WARN, warned.get(), passed, coverage, controls);
        }
        // The figure that people ask for first stands for the pass.
        Optional<StageSummary> shown = latest.stream()
                .filter(s -> s.verdict() == Verdict.PASS)
                .min(Comparator.comparingInt(s -> s.stage() == StageName.COMPUTE ? 0 : 1));
        return shown.map(s -> decided(Verdict.PASS, s, passed, coverage, controls))
                .orElseGet(() -> made(Verdict.UNKNOWN, Optional.empty(), Optional.empty(), 0, coverage, controls, ""));
    }

    /** The sentence of this verdict around a stage's own reason, in a language. */
    String sentence(String why, Locale locale) {
        return sentence(verdict, decidedBy, place, passed, controls, why, locale);
    }

    private static String sentence(
            Verdict verdict,
            Optional<String> decidedBy,
            Optional<StageName> place,
            int passed,
            List<Control> controls,
            String why,
            Locale locale) {
        String stage = place.map(s -> Words.sure("stage." + s.word(), Map.of(), locale))
                .orElse("");
        Map<String, String> values = Map.of("stage", stage, "why", why, "passed", Integer.toString(passed));
        String key = verdict == Verdict.PASS ? "trial.passed" : place.isPresent() ? "trial.missing" : "trial.nothing";
        String said = decidedBy.isPresent() && verdict != Verdict.PASS ? why : Words.sure(key, values, locale);
        // A failure of one stage has nothing to say of another's noise.
        return controls.stream()
                .filter(c -> verdict == Verdict.PASS || place.equals(Optional.of(c.stage())))
                .map(c -> c.words(locale))
                .reduce(said, (a, b) -> a + Words.sure("trial.join", Map.of(), locale) + b);
    }

    private static TrialVerdict decided(
            Verdict verdict, StageSummary by, int passed, Coverage coverage, List<Control> controls) {
        List<Control> of = verdict == Verdict.PASS
                ? controls
                : controls.stream()
                        .filter(c -> c.phase() == by.phase() && c.gpus() == by.gpus() && c.stage() == by.stage())
                        .toList();
        return made(verdict, Optional.of(by.stageRun()), Optional.of(by.stage()), passed, coverage, of, by.reason());
    }

    private static TrialVerdict made(
            Verdict verdict,
            Optional<String> by,
            Optional<StageName> place,
            int passed,
            Coverage coverage,
            List<Control> controls,
            String why) {
        return new TrialVerdict(
                verdict,
                sentence(verdict, by, place, passed, controls, why, Locale.ENGLISH),
                by,
                place,
                passed,
                coverage,
                controls);
    }

    private static List<StageName> missing(Plan plan, List<StageSummary> latest) {
        List<StageName> missing = new ArrayList<>(plan.singleStages());
        latest.stream().filter(s -> s.phase() == Phase.SINGLE).forEach(s -> missing.remove(s.stage()));
        return missing;
    }

    private static Coverage coverage(List<StageSummary> latest, boolean gpu, List<Control> controls) {
        return new Coverage(
                level(latest, controls, Set.of(StageName.ENVIRONMENT), Set.of(StageName.ENVIRONMENT)),
                // Without a GPU there is no reference for compute, so its pass excludes nothing.
                level(latest, controls, PERFORMANCE, Set.of(gpu ? StageName.COMPUTE : StageName.STORAGE)),
                level(latest, controls, Set.of(StageName.STABILITY), Set.of(StageName.STABILITY)));
    }

    /** Trouble of a kind is excluded only when the stages that look for it passed, on every machine there was. */
    private static CoverageLevel level(
            List<StageSummary> latest, List<Control> controls, Set<StageName> stages, Set<StageName> needed) {
        List<StageSummary> of =
                latest.stream().filter(s -> stages.contains(s.stage())).toList();
        boolean badCard =
                controls.stream().anyMatch(c -> stages.contains(c.stage()) && c.kind() == Control.Kind.BAD_CARD);
        if (badCard || of.stream().anyMatch(s -> s.verdict() == Verdict.FAIL || s.verdict() == Verdict.WARN)) {
            return CoverageLevel.FOUND;
        }
        boolean tested =
                needed.stream().allMatch(n -> of.stream().anyMatch(s -> s.stage() == n && s.verdict() == Verdict.PASS));
        boolean open = of.stream().anyMatch(s -> s.verdict() == Verdict.UNKNOWN);
        return tested && !open ? CoverageLevel.EXCLUDED : CoverageLevel.NOT_TESTED;
    }
}
