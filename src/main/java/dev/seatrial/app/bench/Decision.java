package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The verdict of a stage and what decided it. Rests only on what a stored result holds, so that the reason can be
 * written again in another language.
 *
 * @param verdict worst metric or finding
 * @param cause what decided
 */
record Decision(Verdict verdict, Cause cause) {
    /** What decided a verdict. */
    sealed interface Cause {}

    record ByMetric(Measurement measurement, Assessment assessment) implements Cause {}

    record ByFinding(Finding finding) implements Cause {}

    record ByNothing() implements Cause {}

    static Decision of(Policy policy, List<Measurement> measurements, List<Finding> findings) {
        // A figure nobody has a rule for neither passes nor spoils a stage; a required one that is missing is a
        // finding.
        Optional<Verdict> figures = measurements.stream()
                .map(Measurement::verdict)
                .filter(v -> v != Verdict.UNKNOWN)
                .reduce(Verdict::worse);
        Optional<Verdict> found =
                findings.stream().flatMap(f -> policy.verdict(f).stream()).reduce(Verdict::worse);
        if (found.equals(Optional.of(Verdict.SKIPPED)) || skippedOnly(policy, findings)) {
            return new Decision(Verdict.SKIPPED, finding(policy, findings, Verdict.SKIPPED));
        }
        Verdict verdict =
                figures.map(f -> found.map(f::worse).orElse(f)).or(() -> found).orElse(Verdict.PASS);
        return new Decision(verdict, cause(policy, verdict, measurements, findings));
    }

    static Decision of(Policy policy, StageResult result) {
        return of(policy, result.measurements(), result.findings());
    }

    private static boolean skippedOnly(Policy policy, List<Finding> findings) {
        return findings.stream().anyMatch(f -> policy.verdict(f).equals(Optional.of(Verdict.SKIPPED)))
                && findings.stream().noneMatch(f -> policy.verdict(f).equals(Optional.of(Verdict.FAIL)));
    }

    private static Cause cause(Policy policy, Verdict verdict, List<Measurement> measurements, List<Finding> findings) {
        List<Finding> deciding = findings.stream()
                .filter(f -> policy.verdict(f).equals(Optional.of(verdict)))
                .sorted(Comparator.comparing(f -> policy.isIdentity(f.code()) ? 0 : 1))
                .toList();
        Optional<Finding> first = deciding.stream()
                .filter(f -> !policy.explains(f.code()))
                .filter(f -> verdict != Verdict.WARN || policy.isIdentity(f.code()))
                .findFirst();
        if (first.isPresent()) {
            return new ByFinding(first.get());
        }
        Optional<Measurement> metric = measurements.stream()
                .filter(m -> m.verdict() == verdict && verdict != Verdict.UNKNOWN)
                .min(Comparator.comparingInt((Measurement m) -> policy.order(m.name()))
                        .thenComparingDouble(m -> m.ratio().orElse(1.0)));
        if (metric.isPresent()) {
            return new ByMetric(metric.get(), Assessment.of(metric.get(), policy));
        }
        return deciding.stream()
                .findFirst()
                .<Cause>map(ByFinding::new)
                .or(() -> findings.stream()
                        .filter(f -> policy.verdict(f).isEmpty() && POSITIVE.contains(f.code()))
                        .findFirst()
                        .map(ByFinding::new))
                .or(() -> measurements.stream()
                        .min(Comparator.comparingInt(m -> policy.order(m.name())))
                        .map(m -> new ByMetric(m, Assessment.of(m, policy))))
                .orElseGet(ByNothing::new);
    }

    private static Cause finding(Policy policy, List<Finding> findings, Verdict verdict) {
        return findings.stream()
                .filter(f -> policy.verdict(f).equals(Optional.of(verdict)))
                .findFirst()
                .<Cause>map(ByFinding::new)
                .orElseGet(ByNothing::new);
    }

    /** Findings that say what a pass rests on. */
    private static final List<String> POSITIVE = List.of("IDENTITY_CONFIRMED", "HOST_KNOWN");
}
