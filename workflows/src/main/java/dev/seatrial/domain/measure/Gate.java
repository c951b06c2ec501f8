package dev.seatrial.domain.measure;

import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a trial may spend multi-GPU money: environment PASS or a WARN that is not about identity; compute without FAIL
 * and its required metrics PASS; storage and network not FAIL; nothing required UNKNOWN.
 *
 * @param open whether it may
 * @param reasons why not, one sentence each; empty when open
 */
public record Gate(boolean open, List<String> reasons) {
    /** Metrics that must have passed in the single phase. A metric that was not measured keeps the gate shut. */
    public static final List<String> REQUIRED =
            List.of("matmul_bf16_sustained", "memory_copy", "h2d_pinned", "d2h_pinned");

    public Gate {
        reasons = List.copyOf(reasons);
    }

    /** @param single latest summary of each stage of the single phase */
    public static Gate of(List<StageSummary> single) {
        List<String> reasons = new ArrayList<>();
        Map<StageName, StageSummary> byStage =
                single.stream().collect(Collectors.toMap(StageSummary::stage, s -> s, (a, b) -> b));
        StageSummary environment = byStage.get(StageName.ENVIRONMENT);
        StageSummary compute = byStage.get(StageName.COMPUTE);
        if (environment == null
                || environment.verdict() == Verdict.UNKNOWN
                || environment.verdict() == Verdict.SKIPPED) {
            reasons.add("environment: could not tell");
        } else if (environment.verdict() == Verdict.FAIL || environment.identityMismatch()) {
            reasons.add("environment: " + environment.reason());
        }
        if (compute == null) {
            reasons.add("compute: not measured");
        } else if (compute.verdict() == Verdict.FAIL) {
            reasons.add("compute: " + compute.reason());
        } else {
            for (String metric : REQUIRED) {
                Verdict v = Optional.ofNullable(compute.metrics().get(metric)).orElse(Verdict.UNKNOWN);
                if (v != Verdict.PASS) {
                    reasons.add(metric + ": " + (v == Verdict.UNKNOWN ? "could not tell" : v.name()));
                }
            }
        }
        for (StageName other : List.of(StageName.STORAGE, StageName.NETWORK)) {
            StageSummary s = byStage.get(other);
            if (s != null && s.verdict() == Verdict.FAIL) {
                reasons.add(other.word() + ": " + s.reason());
            }
        }
        return new Gate(reasons.isEmpty(), reasons);
    }
}
