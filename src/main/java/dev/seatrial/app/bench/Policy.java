package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The thresholds and rules by which figures and findings become verdicts. Immutable. */
public final class Policy {
    /** Figures that a plan may bound, with a rule each. */
    public static final List<String> METRICS = List.of(
            "matmul_bf16_sustained",
            "matmul_fp8_sustained",
            "matmul_fp16_sustained",
            "matmul_tf32_sustained",
            "matmul_fp32_sustained",
            "memory_copy",
            "h2d_pinned",
            "d2h_pinned",
            "train_step_small",
            "storage_seq_read",
            "storage_seq_write",
            "storage_rand_read_4k",
            "storage_rand_read_4k_p99",
            "network_download",
            "network_upload",
            "network_loss",
            "allreduce_busbw",
            "soak_throughput",
            "soak_drift",
            "throttle_hw_share",
            "throttle_thermal_share",
            "gpu_temperature_p95");

    private static final int LAST = 99;

    private final JsonNode file;
    private final List<Rule> rules;
    private final Map<String, Optional<Rule>> byName = new ConcurrentHashMap<>();
    private final Set<String> unknown;
    private final Set<String> skipped;
    private final Set<String> identity;
    private final Set<String> explains;
    private final Set<Integer> fatalXids = new HashSet<>();

    /** How a metric is judged. */
    public enum Kind {
        /** Share of the card's reference. */
        REFERENCE,
        /** Share of what the card's PCIe lanes carry. */
        LANES,
        /** Reference of card and count, else the class of machines without NVLink. */
        ALLREDUCE,
        /** Share of the promise, else of the floor of the disk's class. */
        STORAGE,
        /** The latency limit of the disk's class. */
        STORAGE_LATENCY,
        /** Share of the promise; without one any positive figure passes. */
        PROMISE,
        /** The figure itself against limits; lower is better. */
        LIMIT;

        /** As policy files write it. */
        String word() {
            String[] parts = name().toLowerCase(Locale.ROOT).split("_");
            return parts.length == 1
                    ? parts[0]
                    : parts[0] + parts[1].substring(0, 1).toUpperCase(Locale.ROOT) + parts[1].substring(1);
        }
    }

    /**
     * One rule; see {@code policy.yaml} for the meaning of the fields.
     *
     * @param tolerance share below the reference that passes, where the reference has none of its own
     * @param fail share of the reference below which it fails
     * @param failOfPass share of the pass bar below which it fails; goes before {@code fail}
     * @param above share of a measured reference above which it warns
     * @param cv spread above which it warns
     * @param least whether the smallest sample counts too
     * @param warnAbove limit of the figure itself
     * @param failAbove limit of the figure itself
     * @param promise key of the plan's promise
     * @param floor key of the class floor
     * @param like metric whose reference is used
     * @param order rank in a one-sentence reason, 1 first
     */
    public record Rule(
            Kind kind,
            double tolerance,
            double fail,
            OptionalDouble failOfPass,
            OptionalDouble above,
            OptionalDouble cv,
            boolean least,
            OptionalDouble warnAbove,
            OptionalDouble failAbove,
            Optional<String> promise,
            Optional<String> floor,
            Optional<String> like,
            int order,
            Pattern match) {
        /** The share of the reference below which the figure fails. */
        public double failBar(double tolerance) {
            return failOfPass.isPresent() ? failOfPass.getAsDouble() * (1 - tolerance) : fail;
        }
    }

    private Policy(JsonNode file, List<Rule> rules) {
        this.file = file;
        this.rules = List.copyOf(rules);
        JsonNode codes = file.path("codes");
        unknown = Set.copyOf(Data.texts(codes.path("unknown")));
        skipped = Set.copyOf(Data.texts(codes.path("skipped")));
        identity = Set.copyOf(Data.texts(codes.path("identity")));
        explains = Set.copyOf(Data.texts(codes.path("explains")));
        file.path("xid").path("fail").forEach(number -> fatalXids.add(number.asInt()));
    }

    /** The policy that ships with the program. */
    public static Policy load() {
        JsonNode file = Data.resource("policy.yaml");
        return new Policy(file, rules(file, "bench/policy.yaml"));
    }

    /** The shipped policy with the user's own rules before it and the user's own thresholds in it. */
    public static Policy load(OwnFiles own) {
        JsonNode file = Data.resource("policy.yaml");
        List<Rule> all = new ArrayList<>();
        own.policy().ifPresent(f -> {
            all.addAll(rules(f.json(), f.name()));
            f.json().properties().stream()
                    .filter(section -> !section.getKey().equals("metrics"))
                    .forEach(section -> merge((ObjectNode) file, section.getKey(), section.getValue()));
        });
        own.references().ifPresent(f -> all.addAll(rules(f.json(), f.name())));
        all.addAll(rules(file, "bench/policy.yaml"));
        return new Policy(file, all);
    }

    private static void merge(ObjectNode into, String key, JsonNode value) {
        if (value.isObject() && into.path(key) instanceof ObjectNode inner) {
            value.properties().forEach(e -> merge(inner, e.getKey(), e.getValue()));
        } else {
            into.set(key, value);
        }
    }

    /** The rule for a metric; empty for names nobody made a rule for. */
    public Optional<Rule> rule(String metric) {
        if (byName.size() > 1000) {
            byName.clear();
        }
        return byName.computeIfAbsent(metric, name -> rules.stream()
                .filter(r -> r.match.matcher(name).matches())
                .findFirst());
    }

    /** Rank of a metric in a one-sentence reason. */
    public int order(String metric) {
        return rule(metric).map(Rule::order).orElse(LAST);
    }

    /** What a finding makes of a stage: the verdict, or empty when it only informs. */
    public Optional<Verdict> verdict(Finding finding) {
        if (skipped.contains(finding.code())) {
            return Optional.of(Verdict.SKIPPED);
        }
        if (unknown.contains(finding.code())) {
            return Optional.of(Verdict.UNKNOWN);
        }
        return switch (finding.severity()) {
            case INFO -> Optional.empty();
            case WARN -> Optional.of(Verdict.WARN);
            // Our own bugs and a broken connection say nothing about the machine.
            case FAIL ->
                Optional.of(
                        finding.owner() == Owner.OURS || finding.owner() == Owner.TRANSPORT
                                ? Verdict.UNKNOWN
                                : Verdict.FAIL);
        };
    }

    /** Whether a finding says that the machine is not what was offered. */
    public boolean isIdentity(String code) {
        return identity.contains(code);
    }

    /** Whether a finding explains a low figure rather than deciding by itself. */
    public boolean explains(String code) {
        return explains.contains(code);
    }

    /** Metrics that a stage cannot do without. */
    public List<String> requiredAll(StageName stage) {
        return Data.texts(file.path("required").path(stage.word()).path("all"));
    }

    /** Metrics of which a stage needs one; empty when it does not ask for one. */
    public List<String> requiredAny(StageName stage) {
        return Data.texts(file.path("required").path(stage.word()).path("any"));
    }

    /** Whether an Xid of this number during our own load condemns the card. */
    public boolean isFatalXid(int number) {
        return fatalXids.contains(number);
    }

    /** Whether a figure learned from earlier evaluations may fail a card; otherwise it warns at most. */
    boolean learnedFails() {
        return file.path("learned").path("strongest").asText().equals("fail");
    }

    /** A threshold of a section such as {@code identity} or {@code machine}. */
    double threshold(String section, String name) {
        return Data.number(file.path(section), name)
                .orElseThrow(() -> new IllegalStateException("policy.yaml has no " + section + "." + name));
    }

    /** A floor of a disk's class, when there is one. */
    OptionalDouble floor(String storageClass, String name) {
        return Data.number(file.path("storage").path(storageClass), name);
    }

    private static List<Rule> rules(JsonNode file, String place) {
        List<Rule> rules = new ArrayList<>();
        for (JsonNode node : file.path("metrics")) {
            try {
                rules.add(new Rule(
                        kind(node.path("rule").asText()),
                        Data.number(node, "tolerance").orElse(0),
                        Data.number(node, "fail").orElse(0),
                        Data.number(node, "failOfPass"),
                        Data.number(node, "above"),
                        Data.number(node, "cv"),
                        node.path("min").asBoolean(),
                        Data.number(node, "warn"),
                        "limit".equals(node.path("rule").asText()) ? Data.number(node, "fail") : OptionalDouble.empty(),
                        Data.text(node, "promise"),
                        Data.text(node, "floor"),
                        Data.text(node, "like"),
                        node.path("order").asInt(LAST),
                        Pattern.compile(node.path("match").asText())));
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException(
                        place + ": " + e.getPattern() + " is no pattern: " + e.getDescription(), e);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(place + ": metrics: " + e.getMessage(), e);
            }
        }
        return rules;
    }

    private static Kind kind(String word) {
        String constant = word.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
        try {
            return Kind.valueOf(constant);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("there is no rule '" + word + "'", e);
        }
    }
}
