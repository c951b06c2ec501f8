package dev.seatrial.app.bench;

import dev.seatrial.app.engine.PeerJudge;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Candidates of one evaluation side by side. Only figures of the same card, method and software are compared; an outlier
 * is a warning with both figures, whatever cannot be compared is marked. Figures of disks, networks and tasks are what
 * vendors differ in, and no outliers.
 */
public final class Peers implements PeerJudge {
    static final String OUTLIER = "PEER_OUTLIER";
    static final String NOT_COMPARABLE = "PEERS_NOT_COMPARABLE";
    private static final Set<StageName> COMPARED =
            Set.of(StageName.COMPUTE, StageName.INTERCONNECT, StageName.STABILITY);

    private final DefaultJudge judge;
    private final Policy policy;

    Peers(DefaultJudge judge, Policy policy) {
        this.judge = judge;
        this.policy = policy;
    }

    private record Rung(Phase phase, int gpus, StageName stage) {}

    /** One candidate's figure: the median over its GPUs, with what it must share to be compared. */
    private record Figure(String candidate, String card, String method, String stack, double value, String unit) {
        /** What sets two figures apart, in words; empty when they may be compared. */
        Optional<String[]> apart(Figure other) {
            return !card.equals(other.card)
                    ? Optional.of(new String[] {card, other.card})
                    : !method.equals(other.method)
                            ? Optional.of(new String[] {method, other.method})
                            : stack.equals(other.stack)
                                    ? Optional.empty()
                                    : Optional.of(new String[] {stack, other.stack});
        }
    }

    @Override
    public Map<String, List<StageResult>> compare(List<Side> sides) {
        Map<Rung, Map<String, StageResult>> rungs = new LinkedHashMap<>();
        for (Side side : sides) {
            for (StageResult r : side.results()) {
                if (COMPARED.contains(r.stage()) && r.verdict() != Verdict.SKIPPED) {
                    rungs.computeIfAbsent(new Rung(r.phase(), r.gpus(), r.stage()), key -> new LinkedHashMap<>())
                            .put(side.candidate().name(), r);
                }
            }
        }
        Map<String, Side> byName =
                sides.stream().collect(Collectors.toMap(s -> s.candidate().name(), s -> s, (a, b) -> b));
        Map<String, List<StageResult>> changed = new LinkedHashMap<>();
        rungs.forEach((rung, results) -> {
            Map<String, List<Finding>> found = findings(results, byName);
            results.forEach((candidate, result) -> {
                StageResult now = judge.again(result, found.getOrDefault(candidate, List.of()));
                if (!now.equals(result)) {
                    changed.computeIfAbsent(candidate, key -> new ArrayList<>()).add(now);
                }
            });
        });
        return changed;
    }

    private Map<String, List<Finding>> findings(Map<String, StageResult> results, Map<String, Side> sides) {
        Map<String, List<Figure>> byMetric = new TreeMap<>();
        results.forEach((candidate, result) -> figures(sides.get(candidate), result)
                .forEach((metric, figure) -> byMetric.computeIfAbsent(metric, key -> new ArrayList<>())
                        .add(figure)));
        Map<String, Map<String, Finding>> found = new LinkedHashMap<>();
        byMetric.forEach((metric, figures) -> {
            for (Figure f : figures) {
                Map<String, Finding> own = found.computeIfAbsent(f.candidate, key -> new LinkedHashMap<>());
                outlier(metric, f, figures).ifPresent(o -> own.put(metric, o));
                for (Figure other : figures) {
                    f.apart(other)
                            .ifPresent(apart ->
                                    own.putIfAbsent("/" + other.candidate, incomparable(other.candidate, apart)));
                }
            }
        });
        return found.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, e -> List.copyOf(e.getValue().values())));
    }

    private Optional<Finding> outlier(String metric, Figure f, List<Figure> figures) {
        List<Figure> peers = figures.stream()
                .filter(o -> !o.candidate.equals(f.candidate) && f.apart(o).isEmpty())
                .toList();
        if (peers.isEmpty()) {
            return Optional.empty();
        }
        double usual =
                Statistics.median(peers.stream().mapToDouble(Figure::value).toArray());
        double bar = policy.threshold("peers", "warn");
        if (!(usual > 0) || f.value / usual >= bar) {
            return Optional.empty();
        }
        return Optional.of(Findings.of(
                OUTLIER,
                Severity.WARN,
                Owner.VENDOR,
                "metric",
                metric,
                "value",
                Words.number(f.value),
                "other",
                Words.number(usual),
                "unit",
                f.unit,
                "percent",
                Words.percent(f.value / usual, bar),
                "peers",
                peers.stream().map(Figure::candidate).collect(Collectors.joining(", "))));
    }

    private static Finding incomparable(String other, String[] apart) {
        return Findings.of(
                NOT_COMPARABLE, Severity.INFO, Owner.OURS, "other", other, "here", apart[0], "there", apart[1]);
    }

    private Map<String, Figure> figures(Side side, StageResult result) {
        Map<String, List<Measurement>> byName = result.measurements().stream()
                .filter(m -> !m.lowConfidence() && m.value() > 0)
                .filter(m -> !"false".equals(m.attrs().get("largest")))
                .filter(m -> policy.rule(m.name())
                        .map(rule -> switch (rule.kind()) {
                            case REFERENCE, ALLREDUCE -> true;
                            case LANES -> rule.fail() > 0;
                            default -> false;
                        })
                        .orElse(false))
                .collect(Collectors.groupingBy(Measurement::name));
        Map<String, Figure> figures = new TreeMap<>();
        byName.forEach((name, of) -> figures.put(
                name,
                new Figure(
                        side.candidate().name(),
                        card(side, result),
                        of.get(0).method(),
                        Stack.of(of.get(0)),
                        Statistics.median(
                                of.stream().mapToDouble(Measurement::value).toArray()),
                        of.get(0).unit())));
        return figures;
    }

    /** The card as it was found to be on this machine; one that was not confirmed is compared with nothing but itself. */
    private static String card(Side side, StageResult result) {
        boolean confirmed = side.results().stream()
                .filter(r -> r.stage() == StageName.ENVIRONMENT && r.lease().equals(result.lease()))
                .flatMap(r -> r.findings().stream())
                .anyMatch(f -> f.code().equals("IDENTITY_CONFIRMED"));
        String gpu = side.candidate().gpu() + (side.simulated() ? " (simulated)" : "");
        return confirmed ? gpu : gpu + ", not confirmed on " + result.lease();
    }
}
