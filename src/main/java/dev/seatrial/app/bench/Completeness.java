package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether a stage told what it is for, and how it ended. */
final class Completeness {
    static final String BF16 = "matmul_bf16_sustained";
    static final String FP16 = "matmul_fp16_sustained";

    private Completeness() {}

    static List<Finding> check(Case c, Policy policy, List<Measurement> judged, List<Finding> soFar) {
        List<Finding> found = new ArrayList<>(ending(c));
        if (c.stage() == StageName.ENVIRONMENT) {
            environment(c, soFar).ifPresent(found::add);
        } else if (judged.isEmpty()) {
            found.add(nothing(c, soFar));
        } else {
            found.addAll(required(c, policy, judged));
        }
        found.addAll(expectations(c, judged));
        return found;
    }

    private static List<Finding> ending(Case c) {
        String why = c.evidence().why();
        return switch (c.status()) {
            case "ok" -> List.of();
            case "lost" -> List.of(Findings.of("CONNECTION_LOST", Severity.WARN, Owner.TRANSPORT));
            case "timed-out" -> List.of(Findings.of("LIMIT_REACHED", Severity.WARN, Owner.OURS, "why", why));
            case "stopped" -> List.of(Findings.of("STAGE_STOPPED", Severity.WARN, Owner.OURS, "why", why));
            case "failed" ->
                List.of(Findings.of(
                        "STAGE_FAILED", Severity.FAIL, Owner.OURS, new Findings.Evidenced(why), "why", why));
            default -> List.of(Findings.of("STAGE_NOT_ENDED", Severity.WARN, Owner.OURS));
        };
    }

    private static Optional<Finding> environment(Case c, List<Finding> soFar) {
        boolean known = c.wantsGpu()
                ? c.evidence().fact("gpus").isArray()
                : c.evidence().fact("host").isObject();
        return known ? Optional.empty() : Optional.of(nothing(c, soFar));
    }

    private static Finding nothing(Case c, List<Finding> soFar) {
        Optional<Finding> because = soFar.stream()
                .filter(f -> f.severity() != Severity.INFO)
                .findFirst()
                .or(() -> soFar.stream()
                        .filter(f -> f.code().startsWith("NETWORK_"))
                        .findFirst());
        return Findings.of(
                "NOTHING_MEASURED",
                Severity.WARN,
                because.map(Finding::owner).orElse(Owner.UNKNOWN),
                "because",
                because.map(Finding::code).orElse(""),
                "why",
                because.map(Finding::message).orElse("the machine reported nothing"));
    }

    private static List<Finding> required(Case c, Policy policy, List<Measurement> judged) {
        Map<String, List<Measurement>> byName = judged.stream().collect(Collectors.groupingBy(Measurement::name));
        if (!c.wantsGpu() && c.stage() == StageName.COMPUTE) {
            return byName.keySet().stream().anyMatch(name -> name.startsWith("host_cpu_"))
                    ? List.of()
                    : List.of(missing(List.of("host_cpu_single_core")));
        }
        List<String> wanted = new ArrayList<>(policy.requiredAll(c.stage()));
        // Cards older than BF16 are judged by FP16.
        if (c.model().isPresent() && c.model().get().bf16().isEmpty() && wanted.remove(BF16)) {
            wanted.add(0, FP16);
        }
        List<String> missing =
                wanted.stream().filter(name -> !byName.containsKey(name)).toList();
        List<String> open = wanted.stream()
                .filter(byName::containsKey)
                .filter(name -> byName.get(name).stream().allMatch(m -> m.verdict() == Verdict.UNKNOWN))
                .toList();
        List<Finding> found = new ArrayList<>();
        if (!missing.isEmpty()) {
            found.add(missing(missing));
        }
        for (boolean low : new boolean[] {true, false}) {
            List<String> of = open.stream()
                    .filter(name -> byName.get(name).stream().anyMatch(Measurement::lowConfidence) == low)
                    .toList();
            if (!of.isEmpty()) {
                found.add(Findings.of(
                        low ? "METRIC_UNSURE" : "NO_REFERENCE",
                        Severity.WARN,
                        Owner.OURS,
                        "metrics",
                        String.join(", ", of),
                        "gpu",
                        c.candidate().gpu()));
            }
        }
        List<String> any = policy.requiredAny(c.stage());
        if (!any.isEmpty() && any.stream().noneMatch(byName::containsKey)) {
            found.add(missing(any));
        }
        return found;
    }

    private static Finding missing(List<String> metrics) {
        return Findings.of("METRIC_MISSING", Severity.WARN, Owner.UNKNOWN, "metrics", String.join(", ", metrics));
    }

    private static List<Finding> expectations(Case c, List<Measurement> judged) {
        Map<String, TaskSpec.Expectation> expected = c.stage() == StageName.TASK
                ? c.plan().task().map(TaskSpec::expect).orElse(Map.of())
                : c.plan().expect();
        return expected.keySet().stream()
                .filter(name -> c.stage() == StageName.TASK || stage(name).equals(Optional.of(c.stage())))
                .filter(name -> judged.stream().noneMatch(m -> m.name().equals(name)))
                .sorted()
                .map(name -> Findings.of("EXPECTATION_UNTESTED", Severity.WARN, Owner.UNKNOWN, "metric", name))
                .toList();
    }

    /** The stage that measures one of the trial's own figures. */
    private static Optional<StageName> stage(String metric) {
        String family = metric.substring(0, metric.indexOf('_') < 0 ? metric.length() : metric.indexOf('_'));
        return switch (family) {
            case "matmul", "memory", "h2d", "d2h", "train" -> Optional.of(StageName.COMPUTE);
            case "storage" -> Optional.of(StageName.STORAGE);
            case "network" -> Optional.of(StageName.NETWORK);
            case "allreduce" -> Optional.of(StageName.INTERCONNECT);
            case "soak", "throttle", "gpu" -> Optional.of(StageName.STABILITY);
            default -> Optional.empty();
        };
    }
}
