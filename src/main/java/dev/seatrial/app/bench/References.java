package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.measure.Reference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** What healthy cards achieve. Immutable. */
public final class References {
    /** Quality of a figure that somebody measured. */
    public static final String MEASURED = "measured";
    /** Quality of a figure that was calculated; it warns at most. */
    public static final String DERIVED = "derived";
    /** Quality of a figure learned from earlier evaluations; as strong as the policy's {@code learned} lets it be. */
    public static final String HERE = "measured-here";

    /** Tolerance that stands for "the rule's own". */
    private static final double RULES_OWN = -1;

    private final List<Entry> entries;
    private final Map<Integer, Reference> lanes = new LinkedHashMap<>();
    private final List<PlatformClass> classes = new ArrayList<>();

    /**
     * One figure.
     *
     * @param methods methods it may be compared with; empty = any
     * @param count GPUs of the machine it is for; empty = any
     * @param when attributes that the measurement must carry
     * @param warnOnly whether reaching it is a warning
     */
    record Entry(
            String gpu,
            String metric,
            List<String> methods,
            OptionalInt count,
            Map<String, String> when,
            boolean warnOnly,
            Reference reference) {
        /** The entry of an own file: by the catalogue's name, with the file named as its source. */
        Entry of(GpuCatalogue gpus, String file) {
            Reference r = reference;
            return new Entry(
                    gpus.find(gpu).map(GpuModel::name).orElse(gpu),
                    metric,
                    methods,
                    count,
                    when,
                    warnOnly,
                    new Reference(
                            r.value(),
                            r.source().isEmpty() ? file : r.source() + " (" + file + ")",
                            r.date(),
                            r.quality(),
                            r.tolerance()));
        }

        boolean fits(Query query) {
            return gpu.equals(query.gpu())
                    && metric.equals(query.metric())
                    && (methods.isEmpty() || methods.contains(query.method()))
                    && (count.isEmpty() || count.getAsInt() == query.count())
                    && when.entrySet().stream()
                            .allMatch(e -> e.getValue().equals(query.attrs().get(e.getKey())));
        }
    }

    /**
     * What is asked for.
     *
     * @param gpu normalised GPU name
     * @param metric metric name
     * @param method method and version
     * @param count GPUs of this rung
     * @param attrs attributes of the measurement
     */
    public record Query(String gpu, String metric, String method, int count, Map<String, String> attrs) {}

    /**
     * What was found.
     *
     * @param reference the figure; its tolerance is negative where the rule's own applies
     * @param warnOnly whether reaching it is a warning, not a pass
     */
    public record Found(Reference reference, boolean warnOnly) {
        /** The reference with the rule's tolerance where the entry has none of its own. */
        public Reference withTolerance(double rules) {
            return reference.tolerance() >= 0
                    ? reference
                    : new Reference(
                            reference.value(), reference.source(), reference.date(), reference.quality(), rules);
        }
    }

    private record PlatformClass(String name, OptionalInt generation, Reference reference) {}

    private References(List<Entry> entries, JsonNode shipped) {
        this.entries = List.copyOf(entries);
        for (JsonNode lane : shipped.path("lanes")) {
            lanes.put(
                    lane.path("generation").asInt(),
                    reference(lane, lane.path("value").asDouble()));
        }
        for (JsonNode one : shipped.path("classes")) {
            classes.add(new PlatformClass(
                    one.path("class").asText(),
                    Data.whole(one, "generation"),
                    reference(one, one.path("value").asDouble())));
        }
    }

    /** The references that ship with the program. */
    public static References load() {
        JsonNode shipped = Data.resource("references.yaml");
        return new References(entries(shipped, "bench/references.yaml"), shipped);
    }

    /** The shipped references with the user's own over them: an own figure hides every shipped one for the same GPU and metric. */
    public static References load(OwnFiles own) {
        JsonNode shipped = Data.resource("references.yaml");
        GpuCatalogue gpus = GpuCatalogue.load(own);
        List<Entry> first = own.references()
                .map(file -> entries(file.json(), file.name()).stream()
                        .map(e -> e.of(gpus, file.shortName()))
                        .toList())
                .orElse(List.of());
        List<Entry> all = new ArrayList<>(first);
        for (Entry entry : entries(shipped, "bench/references.yaml")) {
            if (first.stream().noneMatch(o -> o.gpu.equals(entry.gpu) && o.metric.equals(entry.metric))) {
                all.add(entry);
            }
        }
        return new References(all, shipped);
    }

    /** The figures there are for a GPU and a metric, as text; empty when there is none. */
    String any(String gpu, String metric) {
        return entries.stream()
                .filter(e -> e.gpu.equals(gpu) && e.metric.equals(metric))
                .map(e -> Words.number(e.reference.value()))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** The figure for a measurement; one with conditions that hold goes before one without. */
    public Optional<Found> find(Query query) {
        List<Entry> fitting = entries.stream().filter(e -> e.fits(query)).toList();
        return fitting.stream()
                .filter(e -> !e.when.isEmpty())
                .findFirst()
                .or(() -> fitting.stream().findFirst())
                .map(e -> new Found(e.reference, e.warnOnly));
    }

    /** What 16 lanes of a PCIe generation carry one way with pinned memory, GB/s. */
    public Optional<Reference> lanes(int generation) {
        return Optional.ofNullable(lanes.get(generation));
    }

    /**
     * All-reduce of machines without NVLink, GB/s.
     *
     * @param peer whether the GPUs copy directly
     * @param generation PCIe generation of the cards
     */
    public Reference platform(boolean peer, int generation) {
        String wanted = peer ? "p2p" : "host";
        return classes.stream()
                .filter(c -> c.name.equals(wanted))
                .filter(c -> c.generation.isEmpty() || c.generation.getAsInt() == Math.max(4, Math.min(5, generation)))
                .findFirst()
                .map(PlatformClass::reference)
                .orElseThrow(() -> new IllegalStateException("references.yaml has no class " + wanted));
    }

    private static List<Entry> entries(JsonNode file, String place) {
        List<Entry> found = new ArrayList<>();
        for (JsonNode group : file.path("references")) {
            List<String> gpus = group.has("gpu") ? Data.texts(group.path("gpu")) : Data.texts(group.path("gpus"));
            JsonNode values = group.path("values");
            if (gpus.isEmpty() || !values.isObject() || values.isEmpty()) {
                throw new IllegalArgumentException(place + ": each entry of references needs gpus and values");
            }
            Map<String, String> when = new LinkedHashMap<>();
            group.path("when")
                    .properties()
                    .forEach(e -> when.put(e.getKey(), e.getValue().asText()));
            values.properties().forEach(value -> {
                OptionalDouble figure = Data.number(values, value.getKey());
                if (figure.isEmpty() || figure.getAsDouble() <= 0) {
                    throw new IllegalArgumentException(
                            place + ": " + value.getKey() + " of " + gpus + " must be a number above zero");
                }
                for (String gpu : gpus) {
                    found.add(new Entry(
                            gpu,
                            value.getKey(),
                            Data.texts(group.path("methods")),
                            Data.whole(group, "count"),
                            Map.copyOf(when),
                            group.path("warnOnly").asBoolean(),
                            reference(group, figure.getAsDouble())));
                }
            });
        }
        return found;
    }

    private static Reference reference(JsonNode node, double value) {
        return new Reference(
                value,
                Data.text(node, "source").orElse(""),
                Data.text(node, "date").orElse(""),
                Data.text(node, "quality").orElse(MEASURED),
                Data.number(node, "tolerance").orElse(RULES_OWN));
    }
}
