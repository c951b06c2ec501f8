package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What shows only when the figures of one machine are held against each other. */
final class MachineRules {
    private static final Pattern SPREAD =
            Pattern.compile("matmul_[a-z0-9]+_sustained(_together)?|memory_copy|soak_throughput");
    private static final Pattern MATMUL = Pattern.compile("matmul_([a-z0-9]+)_(short|sustained)(_together)?");
    private static final int MOST_PAIR_FINDINGS = 8;

    private final Policy policy;

    MachineRules(Policy policy) {
        this.policy = policy;
    }

    List<Finding> check(Case c, List<Measurement> measurements) {
        List<Finding> found = new ArrayList<>();
        spread(measurements, found);
        uplink(measurements, found);
        pairs(measurements, found);
        temperatures(measurements, found);
        canaries(measurements, found);
        impossible(c, measurements, found);
        inSwitch(measurements, found);
        lateRank(measurements, found);
        return found;
    }

    /** The slowest card of a machine against its fastest. */
    private void spread(List<Measurement> measurements, List<Finding> found) {
        Map<String, List<Measurement>> byName = measurements.stream()
                .filter(m -> SPREAD.matcher(m.name()).matches() && m.gpu().isPresent())
                .collect(Collectors.groupingBy(Measurement::name, TreeMap::new, Collectors.toList()));
        byName.forEach((name, of) -> {
            Measurement slow = of.stream()
                    .min(Comparator.comparingDouble(Measurement::value))
                    .orElseThrow();
            Measurement fast = of.stream()
                    .max(Comparator.comparingDouble(Measurement::value))
                    .orElseThrow();
            double share = slow.value() / fast.value();
            if (!slow.gpu().equals(fast.gpu()) && share < threshold("spreadPass")) {
                found.add(Findings.of(
                        "GPU_SPREAD",
                        share < threshold("spreadFail") ? Severity.FAIL : Severity.WARN,
                        Owner.VENDOR,
                        "metric",
                        name,
                        "slowest",
                        slow.gpu().orElse("?"),
                        "slow",
                        Words.number(slow.value()),
                        "fast",
                        Words.number(fast.value()),
                        "unit",
                        fast.unit(),
                        "percent",
                        Words.percent(share, threshold("spreadPass"))));
            }
        });
    }

    private void uplink(List<Measurement> measurements, List<Finding> found) {
        for (String direction : List.of("h2d_pinned", "d2h_pinned")) {
            OptionalDouble alone = least(Case.named(measurements, direction));
            OptionalDouble together = least(Case.named(measurements, direction + "_together"));
            if (alone.isPresent()
                    && together.isPresent()
                    && alone.getAsDouble() > 0
                    && together.getAsDouble() / alone.getAsDouble() < threshold("sharedUplink")) {
                found.add(Findings.of(
                        "UPLINK_SHARED",
                        Severity.WARN,
                        Owner.VENDOR,
                        "metric",
                        direction,
                        "alone",
                        Words.number(alone.getAsDouble()),
                        "together",
                        Words.number(together.getAsDouble())));
            }
        }
    }

    private void pairs(List<Measurement> measurements, List<Finding> found) {
        List<Measurement> copies = Case.named(measurements, "p2p_copy");
        Map<String, Double> medians = new HashMap<>();
        copies.stream()
                .collect(Collectors.groupingBy(m -> m.attrs().getOrDefault("link", "")))
                .forEach((link, of) -> medians.put(link, median(of)));
        Map<String, Measurement> byPair = new HashMap<>();
        copies.forEach(m ->
                byPair.put(m.attrs().getOrDefault("from", "") + ">" + m.attrs().getOrDefault("to", ""), m));
        int told = 0;
        for (Measurement m : copies) {
            if (told >= MOST_PAIR_FINDINGS) {
                return;
            }
            Optional<Finding> one = pair(m, medians, byPair);
            if (one.isPresent()) {
                found.add(one.get());
                told++;
            }
        }
    }

    private Optional<Finding> pair(Measurement m, Map<String, Double> medians, Map<String, Measurement> byPair) {
        String from = m.attrs().getOrDefault("from", "");
        String to = m.attrs().getOrDefault("to", "");
        String link = m.attrs().getOrDefault("link", "");
        if (link.startsWith("NV") && m.value() < threshold("nvlinkFloor")) {
            return Optional.of(pairFinding("P2P_SLOW_LINK", Severity.FAIL, m, from, to, threshold("nvlinkFloor")));
        }
        Measurement back = byPair.get(to + ">" + from);
        boolean told = back != null && link.startsWith("NV") && back.value() < threshold("nvlinkFloor");
        if (back != null && !told && from.compareTo(to) < 0) {
            double most = Math.max(m.value(), back.value());
            double gap = most > 0 ? Math.abs(m.value() - back.value()) / most : 0;
            if (gap > threshold("asymmetryWarn")) {
                Severity weight = gap > threshold("asymmetryFail") ? Severity.FAIL : Severity.WARN;
                return Optional.of(pairFinding("P2P_ASYMMETRIC", weight, m, from, to, back.value()));
            }
        }
        double median = medians.getOrDefault(link, 0.0);
        if (m.value() < threshold("pairShare") * median) {
            return Optional.of(pairFinding("P2P_SLOW_PAIR", Severity.WARN, m, from, to, median));
        }
        return Optional.empty();
    }

    private static Finding pairFinding(
            String code, Severity weight, Measurement m, String from, String to, double other) {
        return Findings.of(
                code,
                weight,
                Owner.VENDOR,
                "from",
                from,
                "to",
                to,
                "value",
                Words.number(m.value()),
                "other",
                Words.number(other),
                "link",
                m.attrs().getOrDefault("link", "?"));
    }

    private void temperatures(List<Measurement> measurements, List<Finding> found) {
        List<Measurement> all = Case.named(measurements, "gpu_temperature_p95");
        if (all.size() < 2) {
            return;
        }
        double least = all.stream().mapToDouble(Measurement::value).min().orElse(0);
        double most = all.stream().mapToDouble(Measurement::value).max().orElse(0);
        if (most - least > threshold("temperatureGap")) {
            found.add(Findings.of(
                    "TEMPERATURE_GAP",
                    Severity.WARN,
                    Owner.VENDOR,
                    "cool",
                    Words.number(least),
                    "hot",
                    Words.number(most)));
        }
    }

    /** A whole rented card has no reason to be slower in the evening. */
    private void canaries(List<Measurement> measurements, List<Finding> found) {
        Map<String, List<Measurement>> series = measurements.stream()
                .filter(m -> m.name().startsWith("canary_"))
                .collect(Collectors.groupingBy(
                        m -> m.name() + " " + m.gpu().orElse(""), TreeMap::new, Collectors.toList()));
        series.values().forEach(of -> {
            Measurement least = of.stream()
                    .min(Comparator.comparingDouble(Measurement::value))
                    .orElseThrow();
            double most = of.stream().mapToDouble(Measurement::value).max().orElse(0);
            if (most > 0 && 1 - least.value() / most > threshold("canaryDrop")) {
                found.add(Findings.of(
                        "CANARY_DROP",
                        Severity.WARN,
                        Owner.VENDOR,
                        "metric",
                        least.name(),
                        "moment",
                        least.attrs().getOrDefault("moment", "?"),
                        "value",
                        Words.number(least.value()),
                        "best",
                        Words.number(most),
                        "unit",
                        least.unit()));
            }
        });
    }

    /** More than the silicon can do is a fault of the clock or of the identity, not a gift. */
    private void impossible(Case c, List<Measurement> measurements, List<Finding> found) {
        if (c.model().isEmpty() || c.model().get().geforce()) {
            return;
        }
        TreeSet<String> told = new TreeSet<>();
        for (Measurement m : measurements) {
            var name = MATMUL.matcher(m.name());
            if (name.matches() && told.add(m.name())) {
                OptionalDouble peak = c.model().get().peak(name.group(1));
                if (peak.isPresent() && m.value() > threshold("abovePeak") * peak.getAsDouble()) {
                    found.add(Findings.of(
                            "ABOVE_PEAK",
                            Severity.WARN,
                            Owner.OURS,
                            "metric",
                            m.name(),
                            "value",
                            Words.number(m.value()),
                            "peak",
                            Words.number(peak.getAsDouble()),
                            "unit",
                            m.unit()));
                }
            }
        }
    }

    private static void inSwitch(List<Measurement> measurements, List<Finding> found) {
        if (measurements.stream()
                .anyMatch(m -> "no in-switch reduction".equals(m.attrs().get(Assessment.LIMITED_BY)))) {
            found.add(Findings.of("NVLS_OFF", Severity.WARN, Owner.UNKNOWN));
        }
    }

    /** All ranks of an all-reduce wait for the slowest, so one that is late on its own holds up the others. */
    private void lateRank(List<Measurement> measurements, List<Finding> found) {
        for (Measurement m : Case.named(measurements, "allreduce_busbw")) {
            double late = MetricJudge.real(m.attrs().get("slowestRankLate"));
            if (late > threshold("rankLate")) {
                found.add(Findings.of(
                        "SLOW_RANK",
                        Severity.WARN,
                        Owner.VENDOR,
                        "rank",
                        m.attrs().getOrDefault("slowestRank", "?"),
                        "gpu",
                        m.attrs().getOrDefault("slowestRankGpu", "?"),
                        "percent",
                        Words.number(late * 100)));
            }
        }
    }

    private double threshold(String name) {
        return policy.threshold("machine", name);
    }

    private static OptionalDouble least(List<Measurement> of) {
        return of.stream().mapToDouble(Measurement::value).min();
    }

    private static double median(List<Measurement> of) {
        List<Double> sorted = of.stream().map(Measurement::value).sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }
}
