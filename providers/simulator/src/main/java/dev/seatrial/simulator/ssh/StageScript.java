package dev.seatrial.simulator.ssh;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.Profile;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** Everything one stage will say, and when, worked out as soon as it starts. The same seed says the same. */
final class StageScript {
    /** Without a specified limit. */
    private static final double DEFAULT_LIMIT = 24 * 3600;

    private static final int SAMPLES = 5;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Profile profile;
    private final String stage;
    private final JsonNode spec;
    private final String machine;
    private final int present;
    private final List<Integer> gpus;
    private final Random noise;

    /**
     * Something said.
     *
     * @param at after the start
     * @param fields without {@code seatrial}, {@code seq}, {@code at}
     */
    record Line(Duration at, ObjectNode fields) {}

    /** A raw file kept as evidence. */
    record Raw(String name, byte[] content) {}

    /**
     * @param lines in order of time; the last is the end, unless the stage hangs
     * @param raw evidence
     */
    record Script(List<Line> lines, Raw raw) {}

    /**
     * @param machine the instance's id, from which its cards' identities come
     * @param present GPUs that the machine has
     */
    StageScript(Profile profile, String stage, JsonNode spec, String machine, int present) {
        this.profile = profile;
        this.stage = stage;
        this.spec = spec;
        this.machine = machine;
        this.present = present;
        this.gpus = selected(spec.path("gpus"), present);
        this.noise = new Random(profile.name().hashCode() * 31L
                + machine.hashCode() * 7L
                + stage.hashCode()
                + spec.path("seed").asLong());
    }

    Script write() {
        Profile.Stage plan = profile.stages().get(stage);
        Raw raw = new Raw(
                "raw/simulated-" + stage + ".txt",
                ("simulated " + stage + " of profile " + profile.name() + "\n" + spec + "\n")
                        .getBytes(StandardCharsets.UTF_8));
        if (plan == null) {
            ObjectNode finding = finding("STAGE_FAILED", "warn", "ours", "This profile has no stage " + stage + ".");
            return new Script(
                    List.of(new Line(Duration.ZERO, finding), new Line(Duration.ZERO, end("failed", "no such stage"))),
                    raw);
        }
        double asked = spec.path("stability").path("seconds").asDouble(plan.seconds());
        double seconds = plan.asSpecified() ? asked : plan.seconds();
        List<ObjectNode> said = new ArrayList<>(facts());
        plan.measurements().forEach((key, figure) -> said.addAll(measured(key, figure)));
        said.addAll(task(plan));
        said.addAll(findings(plan));
        ObjectNode kept = event("raw").put("file", raw.name()).put("sha256", sha256(raw.content()));
        said.add(kept.put("bytes", raw.content().length));
        List<Line> lines = spread(said, seconds);
        if (!plan.hangs()) {
            lines.add(new Line(length(seconds), end(plan.status(), plan.why())));
        }
        return new Script(limited(lines, plan.hangs()), raw);
    }

    /** Progress in quarters, and what is said spread evenly between. */
    private List<Line> spread(List<ObjectNode> said, double seconds) {
        List<Line> lines = new ArrayList<>();
        int quarter = 0;
        for (int i = 0; i < said.size(); i++) {
            double done = (i + 1.0) / (said.size() + 1);
            for (; quarter <= 4 * done; quarter++) {
                lines.add(new Line(length(seconds * quarter / 4), progress(quarter / 4.0)));
            }
            lines.add(new Line(length(seconds * done), said.get(i)));
        }
        lines.add(new Line(length(seconds), progress(1)));
        return lines;
    }

    private List<Line> limited(List<Line> lines, boolean hangs) {
        Duration limit = length(spec.path("limitSeconds").asDouble(DEFAULT_LIMIT));
        boolean late = hangs || lines.get(lines.size() - 1).at().compareTo(limit) > 0;
        if (!late) {
            return lines;
        }
        List<Line> kept = new ArrayList<>(
                lines.stream().filter(line -> line.at().compareTo(limit) < 0).toList());
        kept.add(new Line(limit, end("timed-out", "the limit of " + limit.toSeconds() + " s is reached")));
        return kept;
    }

    private ObjectNode progress(double done) {
        return event("progress").put("done", done).put("text", stage + " (simulated)");
    }

    private List<ObjectNode> facts() {
        if (stage.equals("storage")) {
            return List.of(fact("storage", profile.machine().storage()));
        }
        if (!stage.equals("environment")) {
            return List.of();
        }
        ArrayNode cards = NODES.arrayNode();
        for (int gpu : gpus) {
            ObjectNode card = profile.machine().gpu().deepCopy();
            card.put("index", gpu).put("uuid", uuid(gpu)).put("busId", String.format("00000000:%02X:00.0", 16 + gpu));
            cards.add(card);
        }
        List<ObjectNode> facts = new ArrayList<>();
        facts.add(fact("gpus", cards));
        facts.add(fact("software", profile.machine().software()));
        facts.add(fact("host", profile.machine().host()));
        facts.add(fact("topology", NODES.textNode(profile.machine().topology())));
        return facts;
    }

    private ObjectNode fact(String name, JsonNode value) {
        ObjectNode fact = event("fact").put("name", name);
        fact.set("value", value);
        return fact;
    }

    private List<ObjectNode> measured(String key, Profile.Figure figure) {
        if (gpus.size() < figure.least() || gpus.size() > figure.most()) {
            return List.of();
        }
        String name = figure.name().isEmpty() ? key : figure.name();
        double value = figure.byGpus().getOrDefault(String.valueOf(gpus.size()), figure.value());
        if (!figure.perGpu()) {
            return List.of(measurement(name, figure, value, NODES.nullNode()));
        }
        List<ObjectNode> all = new ArrayList<>();
        for (int gpu : gpus) {
            // Cards of one batch differ by about a percent, always the same way.
            double card = 1 + (Math.floorMod((machine + gpu).hashCode(), 2001) - 1000) / 100_000.0;
            all.add(measurement(name, figure, value * card, NODES.textNode(uuid(gpu))));
        }
        return all;
    }

    private ObjectNode measurement(String name, Profile.Figure figure, double value, JsonNode gpu) {
        double[] samples = new double[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            samples[i] = digits(value * (1 + figure.spread() * Math.max(-2, Math.min(2, noise.nextGaussian()))));
        }
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        double mean = Arrays.stream(samples).average().orElse(value);
        double square = Arrays.stream(samples).map(s -> (s - mean) * (s - mean)).sum() / (SAMPLES - 1);
        ObjectNode node = event("measurement").put("name", name).put("unit", figure.unit());
        node.put("value", sorted[SAMPLES / 2]);
        node.set("gpu", gpu);
        ArrayNode all = node.putArray("samples");
        Arrays.stream(samples).forEach(all::add);
        node.put("n", SAMPLES)
                .put("min", sorted[0])
                .put("max", sorted[SAMPLES - 1])
                .put("cv", mean == 0 ? 0 : digits(Math.sqrt(square) / Math.abs(mean)));
        node.put("tool", figure.tool()).put("toolVersion", figure.toolVersion());
        node.put("method", figure.method().isEmpty() ? name + "/1" : figure.method());
        node.put("confidence", "normal");
        ObjectNode attrs = figure.attrs().deepCopy();
        node.set("attrs", attrs.put("simulated", true));
        return node;
    }

    /** A user's task keeps the names of its metrics. */
    private List<ObjectNode> task(Profile.Stage plan) {
        List<ObjectNode> metrics = new ArrayList<>();
        if (stage.equals("task")) {
            spec.path("task").path("metrics").fieldNames().forEachRemaining(name -> {
                if (!plan.measurements().containsKey(name)) {
                    JsonNode rule = spec.path("task").path("metrics").path(name);
                    Profile.Figure figure = new Profile.Figure(
                            name,
                            rule.path("unit").asText(""),
                            plan.taskMetric(),
                            Map.of(),
                            0.01,
                            false,
                            0,
                            1024,
                            "task",
                            "simulated",
                            "task/1",
                            NODES.objectNode());
                    metrics.add(measurement(name, figure, plan.taskMetric(), NODES.nullNode()));
                }
            });
        }
        return metrics;
    }

    private List<ObjectNode> findings(Profile.Stage plan) {
        List<ObjectNode> findings = new ArrayList<>();
        int expected = spec.path("expectGpus").asInt(gpus.size());
        if (stage.equals("environment") && !spec.path("gpus").asText("").equals("none") && gpus.size() != expected) {
            findings.add(finding(
                    gpus.isEmpty() ? "NO_GPU" : "GPU_COUNT_MISMATCH",
                    "fail",
                    "vendor",
                    expected + " GPUs were expected, " + gpus.size() + " are there (of " + present + ")."));
        }
        for (JsonNode stated : plan.findings()) {
            ObjectNode finding = finding("SIMULATED", "info", "unknown", "");
            stated.properties().forEach(field -> finding.set(field.getKey(), field.getValue()));
            findings.add(finding);
        }
        return findings;
    }

    private static ObjectNode finding(String code, String severity, String owner, String message) {
        ObjectNode finding = event("finding")
                .put("code", code)
                .put("severity", severity)
                .put("owner", owner)
                .put("message", message);
        finding.putObject("params");
        return finding.put("evidence", "simulated").put("next", "");
    }

    private static ObjectNode end(String status, String why) {
        return event("end").put("status", status).put("why", why);
    }

    static ObjectNode event(String type) {
        return NODES.objectNode().put("type", type);
    }

    private String uuid(int gpu) {
        return "GPU-"
                + UUID.nameUUIDFromBytes((profile.name() + ":" + machine + ":" + gpu).getBytes(StandardCharsets.UTF_8));
    }

    private static List<Integer> selected(JsonNode wanted, int present) {
        List<Integer> selected = new ArrayList<>();
        for (int gpu = 0; gpu < present; gpu++) {
            if (wanted.isArray() ? contains(wanted, gpu) : !wanted.asText("all").equals("none")) {
                selected.add(gpu);
            }
        }
        return selected;
    }

    private static boolean contains(JsonNode array, int gpu) {
        for (JsonNode item : array) {
            if (item.isInt() && item.asInt() == gpu) {
                return true;
            }
        }
        return false;
    }

    private static Duration length(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    private static double digits(double value) {
        return value == 0
                ? 0
                : new java.math.BigDecimal(value)
                        .round(new java.math.MathContext(6))
                        .doubleValue();
    }

    static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
