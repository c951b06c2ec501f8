package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Figures side by side. Only figures of the same phase, rung, stage, metric, unit and method share a row.
 *
 * @param sections one per phase, rung and stage, in running order
 */
record Comparison(List<Section> sections) {
    Comparison {
        sections = List.copyOf(sections);
    }

    /** One stage of one rung. */
    record Section(Phase phase, int gpus, StageName stage, List<Row> rows) {
        Section {
            rows = List.copyOf(rows);
        }
    }

    /**
     * One metric.
     *
     * @param name metric
     * @param qualifier what tells it from others of the same name (a URL), or empty
     * @param unit unit
     * @param method method and version
     * @param cells by candidate; candidates without this figure are missing
     */
    record Row(String name, String qualifier, String unit, String method, Map<String, Cell> cells) {
        /** The reference, when all candidates that have one share it. */
        Optional<Reference> reference() {
            List<Reference> all = cells.values().stream()
                    .flatMap(c -> c.reference().stream())
                    .distinct()
                    .toList();
            return all.size() == 1 ? Optional.of(all.get(0)) : Optional.empty();
        }
    }

    /**
     * One candidate's figure.
     *
     * @param median median over GPUs (or pairs of GPUs)
     * @param low smallest
     * @param high largest
     * @param figures how many figures it joins
     * @param perGpu whether these are figures of single GPUs
     * @param samples samples of each figure, the fewest
     * @param cv largest coefficient of variation
     * @param lowConfidence whether any of them is
     * @param reference what it is held against
     * @param ratio the worst
     * @param verdict the worst
     */
    record Cell(
            double median,
            double low,
            double high,
            int figures,
            boolean perGpu,
            int samples,
            double cv,
            boolean lowConfidence,
            Optional<Reference> reference,
            Optional<Double> ratio,
            Verdict verdict) {}

    private record SectionKey(Phase phase, int gpus, StageName stage) {}

    private record RowKey(String name, String qualifier, String unit, String method) {}

    static Comparison of(List<Trial> trials) {
        Map<SectionKey, Map<RowKey, Map<String, List<Measurement>>>> grouped = new LinkedHashMap<>();
        for (Trial trial : trials) {
            for (StageResult stage : trial.latest()) {
                Map<RowKey, Map<String, List<Measurement>>> rows = grouped.computeIfAbsent(
                        new SectionKey(stage.phase(), stage.gpus(), stage.stage()), k -> new LinkedHashMap<>());
                for (Measurement m : largestOnly(stage.measurements())) {
                    rows.computeIfAbsent(
                                    new RowKey(m.name(), qualifier(stage.stage(), m), m.unit(), m.method()),
                                    k -> new LinkedHashMap<>())
                            .computeIfAbsent(trial.row().candidate(), k -> new ArrayList<>())
                            .add(m);
                }
            }
        }
        List<Section> sections = new ArrayList<>();
        grouped.forEach((key, rows) -> {
            List<Row> out = new ArrayList<>();
            rows.forEach((row, cells) -> {
                Map<String, Cell> joined = new LinkedHashMap<>();
                cells.forEach((candidate, figures) -> joined.put(candidate, join(figures)));
                out.add(new Row(row.name(), row.qualifier(), row.unit(), row.method(), joined));
            });
            if (!out.isEmpty()) {
                sections.add(new Section(key.phase(), key.gpus(), key.stage(), out));
            }
        });
        sections.sort(Comparator.comparing(Section::phase)
                .thenComparingInt(Section::gpus)
                .thenComparing(Section::stage));
        return new Comparison(sections);
    }

    /** A sweep over sizes is told by its largest size; smaller ones are latency, not bandwidth. */
    private static List<Measurement> largestOnly(List<Measurement> all) {
        return all.stream()
                .filter(m -> !m.attrs().containsKey("largest")
                        || m.attrs().get("largest").equals("true"))
                .toList();
    }

    private static String qualifier(StageName stage, Measurement m) {
        if (stage != StageName.NETWORK) {
            return "";
        }
        for (String attr : List.of("url", "to", "from")) {
            String value = m.attrs().getOrDefault(attr, "");
            if (!value.isBlank()) {
                return value;
            }
        }
        return "";
    }

    private static Cell join(List<Measurement> figures) {
        double[] values =
                figures.stream().mapToDouble(Measurement::value).sorted().toArray();
        int middle = values.length / 2;
        double median = values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
        return new Cell(
                median,
                values[0],
                values[values.length - 1],
                values.length,
                figures.stream().allMatch(m -> m.gpu().isPresent()),
                figures.stream().mapToInt(Measurement::samples).min().orElse(0),
                figures.stream().mapToDouble(Measurement::cv).max().orElse(0),
                figures.stream().anyMatch(Measurement::lowConfidence),
                figures.stream().flatMap(m -> m.reference().stream()).findFirst(),
                figures.stream().flatMap(m -> m.ratio().stream()).min(Comparator.naturalOrder()),
                figures.stream().map(Measurement::verdict).reduce(Verdict.SKIPPED, Verdict::worse));
    }
}
