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
 * not tell or did not run in the single phase; else WARN when any warned; else PASS.
 *
 * @param verdict the verdict
 * @param reason one English sentence
 * @param decidedBy the stage run that decided, when one did
 * @param place phase and stage that decided, e.g. {@code single/compute}; may be empty
 * @param passed how many stages passed
 * @param coverage what the trial excluded, found, did not test
 */
public record TrialVerdict(
        Verdict verdict,
        String reason,
        Optional<String> decidedBy,
        Optional<StageName> place,
        int passed,
        Coverage coverage) {
    private static final Set<StageName> PERFORMANCE =
            Set.of(StageName.COMPUTE, StageName.STORAGE, StageName.NETWORK, StageName.INTERCONNECT, StageName.TASK);

    /** From judged results, in any order; of several for one stage and rung the last to start counts. */
    public static TrialVerdict ofResults(Plan plan, Candidate candidate, Collection<StageResult> results, Judge judge) {
        return of(
                plan,
                candidate,
                results.stream()
                        .sorted(Comparator.comparing(StageResult::startedAt).thenComparing(StageResult::attempt))
                        .map(judge::summary)
                        .toList());
    }

    /** From summaries in the order in which the stages ran; of several for one stage and rung the last counts. */
    public static TrialVerdict of(Plan plan, Candidate candidate, List<StageSummary> stages) {
        Map<String, StageSummary> byRung = new LinkedHashMap<>();
        for (StageSummary s : stages) {
            byRung.put(s.phase() + "/" + s.gpus() + "/" + s.stage(), s);
        }
        List<StageSummary> latest = byRung.values().stream()
                .sorted(Comparator.comparing(StageSummary::phase)
                        .thenComparing(StageSummary::gpus)
                        .thenComparing(StageSummary::stage))
                .toList();
        Coverage coverage = coverage(latest, candidate.wantsGpu());
        int passed =
                (int) latest.stream().filter(s -> s.verdict() == Verdict.PASS).count();
        for (Verdict verdict : List.of(Verdict.FAIL, Verdict.UNKNOWN)) {
            Optional<StageSummary> first =
                    latest.stream().filter(s -> s.verdict() == verdict).findFirst();
            if (first.isPresent()) {
                return decided(verdict, first.get(), passed, coverage);
            }
        }
        List<StageName> missing = missing(plan, latest);
        if (!missing.isEmpty()) {
            return made(Verdict.UNKNOWN, Optional.empty(), Optional.of(missing.get(0)), passed, coverage, "");
        }
        Optional<StageSummary> warned =
                latest.stream().filter(s -> s.verdict() == Verdict.WARN).findFirst();
        if (warned.isPresent()) {
            return decided(Verdict.WARN, warned.get(), passed, coverage);
        }
        // The figure that people ask for first stands for the pass.
        Optional<StageSummary> shown = latest.stream()
                .filter(s -> s.verdict() == Verdict.PASS)
                .min(Comparator.comparingInt(s -> s.stage() == StageName.COMPUTE ? 0 : 1));
        return shown.map(s -> decided(Verdict.PASS, s, passed, coverage))
                .orElseGet(() -> made(Verdict.UNKNOWN, Optional.empty(), Optional.empty(), 0, coverage, ""));
    }

    /** The sentence of this verdict around a stage's own reason, in a language. */
    String sentence(String why, Locale locale) {
        return sentence(verdict, decidedBy, place, passed, why, locale);
    }

    private static String sentence(
            Verdict verdict,
            Optional<String> decidedBy,
            Optional<StageName> place,
            int passed,
            String why,
            Locale locale) {
        if (decidedBy.isPresent() && verdict != Verdict.PASS) {
            return why;
        }
        String stage = place.map(s -> Words.sure("stage." + s.word(), Map.of(), locale))
                .orElse("");
        Map<String, String> values = Map.of("stage", stage, "why", why, "passed", Integer.toString(passed));
        String key = verdict == Verdict.PASS ? "trial.passed" : place.isPresent() ? "trial.missing" : "trial.nothing";
        return Words.sure(key, values, locale);
    }

    private static TrialVerdict decided(Verdict verdict, StageSummary by, int passed, Coverage coverage) {
        return made(verdict, Optional.of(by.stageRun()), Optional.of(by.stage()), passed, coverage, by.reason());
    }

    private static TrialVerdict made(
            Verdict verdict,
            Optional<String> by,
            Optional<StageName> place,
            int passed,
            Coverage coverage,
            String why) {
        return new TrialVerdict(
                verdict, sentence(verdict, by, place, passed, why, Locale.ENGLISH), by, place, passed, coverage);
    }

    private static List<StageName> missing(Plan plan, List<StageSummary> latest) {
        List<StageName> missing = new ArrayList<>(plan.singleStages());
        latest.stream().filter(s -> s.phase() == Phase.SINGLE).forEach(s -> missing.remove(s.stage()));
        return missing;
    }

    private static Coverage coverage(List<StageSummary> latest, boolean gpu) {
        return new Coverage(
                level(latest, Set.of(StageName.ENVIRONMENT), Set.of(StageName.ENVIRONMENT)),
                // Without a GPU there is no reference for compute, so its pass excludes nothing.
                level(latest, PERFORMANCE, Set.of(gpu ? StageName.COMPUTE : StageName.STORAGE)),
                level(latest, Set.of(StageName.STABILITY), Set.of(StageName.STABILITY)));
    }

    /** Trouble of a kind is excluded only when the stages that look for it passed. */
    private static CoverageLevel level(List<StageSummary> latest, Set<StageName> stages, Set<StageName> needed) {
        List<StageSummary> of =
                latest.stream().filter(s -> stages.contains(s.stage())).toList();
        if (of.stream().anyMatch(s -> s.verdict() == Verdict.FAIL || s.verdict() == Verdict.WARN)) {
            return CoverageLevel.FOUND;
        }
        boolean tested =
                needed.stream().allMatch(n -> of.stream().anyMatch(s -> s.stage() == n && s.verdict() == Verdict.PASS));
        boolean open = of.stream().anyMatch(s -> s.verdict() == Verdict.UNKNOWN);
        return tested && !open ? CoverageLevel.EXCLUDED : CoverageLevel.NOT_TESTED;
    }
}
