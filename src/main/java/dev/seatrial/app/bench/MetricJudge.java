package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds each figure against what it should be. */
final class MetricJudge {
    private static final int GIGA = 1_000_000_000;
    private static final int MEGA = 1_000_000;
    private static final Set<String> MEMORY_FILE_SYSTEMS = Set.of("tmpfs", "ramfs");

    private final References references;
    private final Policy policy;

    MetricJudge(References references, Policy policy) {
        this.references = references;
        this.policy = policy;
    }

    List<Measurement> judge(Case c) {
        List<Measurement> all = c.evidence().measurements();
        List<Measurement> judged = new ArrayList<>();
        for (Measurement m : all) {
            Measurement held = hold(c, m, all);
            judged.add(with(held, Assessment.of(held, policy).verdict()));
        }
        return List.copyOf(judged);
    }

    /** The figure with its reference and ratio. */
    private Measurement hold(Case c, Measurement m, List<Measurement> all) {
        Optional<Reference> expected = expectation(c, m, all);
        if (expected.isPresent()) {
            return with(m, expected.get());
        }
        Optional<Policy.Rule> rule = policy.rule(m.name());
        if (rule.isEmpty() || (taskMetric(c, m) && rule.get().kind() != Policy.Kind.LIMIT)) {
            return m;
        }
        return switch (rule.get().kind()) {
            case REFERENCE -> card(c, m, rule.get());
            case LANES -> lanes(c, m, rule.get());
            case ALLREDUCE -> largest(m, all) ? allReduce(c, m, rule.get()) : m;
            case STORAGE, STORAGE_LATENCY -> storage(c, m, rule.get());
            case PROMISE -> best(m, all) ? promise(c, m, rule.get()) : m;
            case LIMIT -> m;
        };
    }

    private Measurement card(Case c, Measurement m, Policy.Rule rule) {
        if (c.model().isEmpty()) {
            return m;
        }
        // A figure with all GPUs at once is held against the card's own; so is a soak against the same product.
        String metric = rule.like().orElse(m.name().replaceFirst("_together$", ""));
        String method = rule.like().isPresent() ? "matmul/1" : m.method();
        Optional<References.Found> found = references.find(new References.Query(
                c.model().get().name(), metric, method, c.run().gpus(), m.attrs()));
        Optional<Reference> reference = found.map(f -> f.withTolerance(rule.tolerance()))
                .map(r -> rule.like().isPresent() ? quality(r, References.DERIVED) : r);
        boolean measured =
                reference.filter(r -> !r.quality().equals(References.DERIVED)).isPresent();
        return (measured ? Optional.<Reference>empty() : learned(c, m, rule))
                .or(() -> reference)
                .map(r -> with(m, r))
                .orElse(m);
    }

    /** What this card reached on enough earlier machines, by the same method and software. */
    private Optional<Reference> learned(Case c, Measurement m, Policy.Rule rule) {
        String metric = m.name().replaceFirst("_together$", "");
        List<Past> of = c.past().stream()
                .filter(p -> p.metric().equals(metric)
                        && p.method().equals(m.method())
                        && p.stack().equals(Stack.of(m)))
                .toList();
        if (of.stream().map(Past::lease).distinct().count() < policy.threshold("learned", "runs")) {
            return Optional.empty();
        }
        double[] values = of.stream().mapToDouble(Past::value).toArray();
        double usual = Statistics.median(values);
        double wide = policy.threshold("learned", "deviations") * Statistics.spread(values) / usual;
        String last = of.stream()
                .map(p -> p.at().toString().substring(0, 10))
                .max(Comparator.naturalOrder())
                .orElse("");
        // Machines that differ much excuse more, but never more than the policy's own fail line.
        double tolerance = Math.min(Math.max(rule.tolerance(), wide), 1 - rule.failBar(rule.tolerance()));
        return Optional.of(
                new Reference(usual, of.size() + " earlier machines tried here", last, References.HERE, tolerance));
    }

    /**
     * Figures below the bar are looked at again with the link that was seen under load: eight lanes, or a host of an
     * older generation, that carry what they can are a warning; less is a fault.
     */
    private Measurement lanes(Case c, Measurement m, Policy.Rule rule) {
        if (c.model().isEmpty() || c.model().get().pcie().isEmpty()) {
            return m;
        }
        int generation = c.model().get().pcie().getAsInt();
        Optional<Reference> full = references.lanes(generation).map(r -> tolerance(r, rule.tolerance()));
        if (full.isEmpty() || m.value() >= full.get().value() * (1 - rule.tolerance())) {
            return full.map(r -> with(m, r)).orElse(m);
        }
        int width = whole(m.attrs().get("pcieWidth"));
        int seen = whole(m.attrs().get("pcieGen"));
        if (width == 8 && (seen == 0 || seen >= generation)) {
            Reference half =
                    scaled(full.get(), 0.5, "8 of 16 lanes; " + full.get().source());
            return m.value() >= half.value() * (1 - rule.tolerance())
                    ? with(limited(m, "8 lanes"), half)
                    : with(m, full.get());
        }
        if (seen >= 3 && seen < generation && (width == 0 || width >= 16)) {
            Optional<Reference> older = references.lanes(seen).map(r -> tolerance(r, rule.tolerance()));
            if (older.isPresent() && m.value() >= older.get().value() * (1 - rule.tolerance())) {
                return with(limited(m, "PCIe " + seen), older.get());
            }
        }
        return with(m, full.get());
    }

    private Measurement allReduce(Case c, Measurement m, Policy.Rule rule) {
        if (c.model().isEmpty()) {
            return m;
        }
        GpuModel model = c.model().get();
        int count = c.run().gpus();
        Optional<References.Found> found =
                references.find(new References.Query(model.name(), m.name(), m.method(), count, m.attrs()));
        if (found.isPresent()) {
            Reference reference = found.get().withTolerance(rule.tolerance());
            // Below even what the limited way gives, the full figure is the one to be held against.
            if (found.get().warnOnly() && m.value() >= reference.value() * (1 - reference.tolerance())) {
                return with(limited(m, "no in-switch reduction"), reference);
            }
            if (found.get().warnOnly()) {
                Map<String, String> without = new HashMap<>(m.attrs());
                without.remove("nvls");
                return references
                        .find(new References.Query(model.name(), m.name(), m.method(), count, without))
                        .map(f -> with(m, f.withTolerance(rule.tolerance())))
                        .orElse(m);
            }
            return with(m, reference);
        }
        if (model.switched()) {
            for (int other : new int[] {8, 4, 2}) {
                Optional<References.Found> near =
                        references.find(new References.Query(model.name(), m.name(), m.method(), other, m.attrs()));
                if (near.isPresent()) {
                    Reference r = near.get().reference();
                    return with(
                            m,
                            new Reference(
                                    r.value(),
                                    r.source() + "; of " + other + " GPUs",
                                    r.date(),
                                    References.DERIVED,
                                    0.25));
                }
            }
            return m;
        }
        boolean peer = m.attrs().getOrDefault("transports", "").contains("P2P");
        Reference platform = references.platform(peer, model.pcie().orElse(4));
        return with(
                m,
                new Reference(
                        platform.value(),
                        platform.source(),
                        platform.date(),
                        Assessment.CLASS,
                        policy.threshold("machine", "classTolerance")));
    }

    private Measurement storage(Case c, Measurement m, Policy.Rule rule) {
        JsonNode disk = c.evidence().fact("storage");
        String kind = storageClass(disk, m);
        if (kind.equals("memory")) {
            return m;
        }
        if (rule.kind() == Policy.Kind.STORAGE_LATENCY) {
            OptionalDouble limit = policy.floor(kind, "p99");
            return limit.isEmpty()
                    ? m
                    : with(m, new Reference(limit.getAsDouble(), "limit of " + kind + " disks", "", "limit", 0));
        }
        Optional<Measurement> promised = promised(c, m, rule);
        if (promised.isPresent()) {
            return promised.get();
        }
        OptionalDouble floor = policy.floor(kind, rule.floor().orElse(""));
        if (floor.isEmpty()) {
            return m;
        }
        // Where no card waits for data, and for writes, a slow disk is worth a warning only.
        boolean serious = c.wantsGpu() && !m.name().endsWith("_write");
        return with(
                m,
                new Reference(
                        floor.getAsDouble(),
                        "floor of the class " + kind,
                        "2026-11",
                        serious ? Assessment.CLASS : References.DERIVED,
                        0));
    }

    /** {@code nvme}, {@code ssd}, {@code network}, {@code memory}, or {@code disk} where nothing more can be told. */
    static String storageClass(JsonNode disk, Measurement m) {
        String type = disk.path("type").asText(m.attrs().getOrDefault("filesystem", ""));
        if (MEMORY_FILE_SYSTEMS.contains(type)) {
            return "memory";
        }
        String source = disk.path("source").asText().toLowerCase(Locale.ROOT);
        if (disk.path("network").asBoolean()) {
            return "network";
        }
        if (source.contains("nvme")) {
            return "nvme";
        }
        if (source.matches("/dev/sd[a-z]+\\d*")
                && disk.path("rotational").isBoolean()
                && !disk.path("rotational").asBoolean()) {
            return "ssd";
        }
        return "disk";
    }

    private Measurement promise(Case c, Measurement m, Policy.Rule rule) {
        return promised(c, m, rule).orElse(m);
    }

    private Optional<Measurement> promised(Case c, Measurement m, Policy.Rule rule) {
        return rule.promise()
                .flatMap(key -> Promises.value(c, key))
                .map(value -> value / (m.unit().equals("GB/s") ? GIGA : m.unit().equals("MB/s") ? MEGA : 1))
                .filter(value -> value > 0)
                .map(value -> with(
                        m,
                        new Reference(
                                value,
                                "promised by the vendor",
                                "",
                                // Over the user's own path the bottleneck may be the user's.
                                m.attrs().containsKey("from") ? References.DERIVED : Assessment.PROMISED,
                                rule.tolerance())));
    }

    /** The task's own figures have their bounds under task, the trial's under the plan's expect. */
    private Optional<Reference> expectation(Case c, Measurement m, List<Measurement> all) {
        Optional<TaskSpec.Expectation> expected = c.stage() == StageName.TASK
                ? c.plan()
                        .task()
                        .flatMap(task -> Optional.ofNullable(task.expect().get(m.name())))
                : Optional.ofNullable(c.plan().expect().get(m.name())).filter(e -> counts(m, all));
        if (expected.isEmpty()) {
            return Optional.empty();
        }
        Optional<Reference> least = expected.get()
                .atLeast()
                .map(bound -> new Reference(bound.doubleValue(), "the plan", "", Assessment.AT_LEAST, 0));
        Optional<Reference> most = expected.get()
                .atMost()
                .map(bound -> new Reference(bound.doubleValue(), "the plan", "", Assessment.AT_MOST, 0));
        // With two bounds the one that is missed is the one to show.
        boolean over = most.isPresent() && m.value() > most.get().value();
        return over || least.isEmpty() ? most : least;
    }

    /** Of a sweep over sizes the largest counts, of several places the best. */
    private boolean counts(Measurement m, List<Measurement> all) {
        return policy.rule(m.name())
                .map(rule -> switch (rule.kind()) {
                    case ALLREDUCE -> largest(m, all);
                    case PROMISE -> best(m, all);
                    default -> true;
                })
                .orElse(true);
    }

    private static boolean taskMetric(Case c, Measurement m) {
        return c.plan().task().isPresent()
                && c.stage() == StageName.TASK
                && c.plan().task().get().metrics().containsKey(m.name());
    }

    /** Only the largest message tells the bus; smaller ones tell latency. */
    private static boolean largest(Measurement m, List<Measurement> all) {
        double most = Case.named(all, m.name()).stream()
                .mapToDouble(o -> real(o.attrs().get("bytes")))
                .max()
                .orElse(0);
        return real(m.attrs().get("bytes")) >= most;
    }

    private static boolean best(Measurement m, List<Measurement> all) {
        return Case.named(all, m.name()).stream().allMatch(o -> o.value() <= m.value());
    }

    private static Measurement limited(Measurement m, String by) {
        Map<String, String> attrs = new HashMap<>(m.attrs());
        attrs.put(Assessment.LIMITED_BY, by);
        return new Measurement(
                m.name(),
                m.gpu(),
                m.value(),
                m.unit(),
                m.samples(),
                m.min(),
                m.max(),
                m.cv(),
                m.method(),
                m.tool(),
                m.lowConfidence(),
                attrs,
                m.reference(),
                m.ratio(),
                m.verdict());
    }

    private static Measurement with(Measurement m, Reference reference) {
        boolean lower = reference.quality().equals(Assessment.AT_MOST)
                || reference.quality().equals("limit");
        double ratio = lower ? reference.value() / m.value() : m.value() / reference.value();
        return copy(
                m, Optional.of(reference), Double.isFinite(ratio) ? Optional.of(ratio) : Optional.empty(), m.verdict());
    }

    private static Measurement with(Measurement m, Verdict verdict) {
        return copy(m, m.reference(), m.ratio(), verdict);
    }

    private static Measurement copy(
            Measurement m, Optional<Reference> reference, Optional<Double> ratio, Verdict verdict) {
        return new Measurement(
                m.name(),
                m.gpu(),
                m.value(),
                m.unit(),
                m.samples(),
                m.min(),
                m.max(),
                m.cv(),
                m.method(),
                m.tool(),
                m.lowConfidence(),
                m.attrs(),
                reference,
                ratio,
                verdict);
    }

    private static Reference tolerance(Reference r, double tolerance) {
        return new Reference(r.value(), r.source(), r.date(), r.quality(), tolerance);
    }

    private static Reference quality(Reference r, String quality) {
        return new Reference(r.value(), r.source(), r.date(), quality, r.tolerance());
    }

    private static Reference scaled(Reference r, double by, String source) {
        return new Reference(r.value() * by, source, r.date(), r.quality(), r.tolerance());
    }

    private static int whole(@Nullable String text) {
        double value = real(text);
        return value > 0 && value < 1000 ? (int) value : 0;
    }

    /** A number of an attribute; 0 where there is none. */
    static double real(@Nullable String text) {
        if (text == null || text.length() > 30) {
            return 0;
        }
        try {
            double value = Double.parseDouble(text);
            return Double.isFinite(value) ? value : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
