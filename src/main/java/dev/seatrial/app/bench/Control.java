package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the repeats of a failed stage say: one run may be noise, one machine may have a bad card, two machines are the
 * offer.
 *
 * @param stage the stage that failed at least once
 * @param kind what follows from its repeats
 * @param failedRun the failed run that shows it
 * @param failedReason why that run failed
 * @param failures how many runs failed
 * @param machines how many machines it failed on
 */
record Control(
        Phase phase,
        int gpus,
        StageName stage,
        Kind kind,
        String failedRun,
        String failedReason,
        int failures,
        int machines) {
    enum Kind {
        /** Failed once, not when repeated on the same machine. */
        NOISE,
        /** Failed again on the same machine, and no other was tried. */
        AGAIN,
        /** Failed on one machine, not on another. */
        BAD_CARD,
        /** Failed on more than one machine, on each to its end. */
        BAD_OFFER
    }

    /** One for each stage and rung that failed and was repeated. @param results in order of start */
    static List<Control> of(List<StageResult> results) {
        Map<String, List<StageResult>> byRung = new LinkedHashMap<>();
        results.stream()
                // A run that could not tell is no control.
                .filter(r -> r.verdict() != Verdict.UNKNOWN && r.verdict() != Verdict.SKIPPED)
                .forEach(r -> byRung.computeIfAbsent(
                                r.phase() + "/" + r.gpus() + "/" + r.stage(), key -> new ArrayList<>())
                        .add(r));
        return byRung.values().stream().flatMap(runs -> one(runs).stream()).toList();
    }

    private static Optional<Control> one(List<StageResult> runs) {
        List<StageResult> failed =
                runs.stream().filter(r -> r.verdict() == Verdict.FAIL).toList();
        if (failed.isEmpty() || runs.size() == 1) {
            return Optional.empty();
        }
        Map<String, StageResult> lastOnMachine = new LinkedHashMap<>();
        runs.forEach(r -> lastOnMachine.put(r.lease(), r));
        List<StageResult> bad = lastOnMachine.values().stream()
                .filter(r -> r.verdict() == Verdict.FAIL)
                .toList();
        Kind kind = bad.isEmpty()
                ? Kind.NOISE
                : bad.size() < lastOnMachine.size() ? Kind.BAD_CARD : bad.size() > 1 ? Kind.BAD_OFFER : Kind.AGAIN;
        StageResult shows = bad.isEmpty() ? failed.get(0) : bad.get(bad.size() - 1);
        return Optional.of(new Control(
                shows.phase(),
                shows.gpus(),
                shows.stage(),
                kind,
                shows.stageRun(),
                shows.reason(),
                failed.size(),
                bad.size()));
    }

    /** What it means, as a part of a sentence. */
    String words(Locale locale) {
        return Words.sure(
                "control." + kind,
                Map.of(
                        "stage",
                        Words.sure("stage." + stage.word(), Map.of(), locale),
                        "failures",
                        Integer.toString(failures),
                        "machines",
                        Integer.toString(machines)),
                locale);
    }
}
