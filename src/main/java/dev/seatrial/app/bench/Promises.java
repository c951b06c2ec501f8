package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** What the vendor says the offer gives, against what was found. */
final class Promises {
    private static final double KEPT = 0.97;
    /** Share that a figure measured over time must reach; the same as the rules of its metric. */
    private static final double FAR = 0.50;

    private static final double MIB = 1024.0 * 1024.0;

    private Promises() {}

    /** A promised rate or count in bytes per second, or a number; empty without promise or when it cannot be read. */
    static Optional<Double> value(Case c, String key) {
        Optional<String> said = c.promised(key);
        if (said.isEmpty() && (key.equals("download") || key.equals("upload"))) {
            said = c.promised("network");
        }
        return said.map(text -> switch (key) {
                    case "disk_read", "disk_write" -> Quantity.diskRate(text);
                    case "download", "upload" -> Quantity.rate(text);
                    default -> Quantity.count(text);
                })
                .filter(OptionalDouble::isPresent)
                .map(OptionalDouble::getAsDouble);
    }

    /** One finding for each promise that this stage can tell about, kept or broken. */
    static List<Finding> check(Case c, List<Measurement> measurements) {
        List<Finding> found = new ArrayList<>();
        if (c.stage() == StageName.ENVIRONMENT) {
            JsonNode host = c.evidence().fact("host");
            compare(c, "cpu", c.promised("cpu").map(Quantity::count), first(host, "cpusUsable", "cpus"), found);
            OptionalDouble memory = first(host, "memoryLimitMiB", "memoryMiB");
            compare(
                    c,
                    "memory",
                    c.promised("memory").map(Quantity::size),
                    memory.isPresent() ? OptionalDouble.of(memory.getAsDouble() * MIB) : memory,
                    found);
            JsonNode gpu = c.evidence().fact("gpus").path(0);
            if (c.multi()) {
                compare(c, "nvlink", c.promised("nvlink").map(Quantity::count), Data.number(gpu, "nvlinks"), found);
            }
        }
        if (c.stage() == StageName.STORAGE) {
            OptionalDouble free = Data.number(c.evidence().fact("storage"), "freeMiB");
            compare(
                    c,
                    "disk",
                    c.promised("disk").map(Quantity::size),
                    free.isPresent() ? OptionalDouble.of(free.getAsDouble() * MIB) : free,
                    found);
        }
        for (Measurement m : measurements) {
            m.reference()
                    .filter(r -> r.quality().equals(Assessment.PROMISED))
                    .ifPresent(r -> found.add(told(
                            m.name(),
                            Words.number(r.value()) + " " + m.unit(),
                            Words.number(m.value()) + " " + m.unit(),
                            m.value() / r.value(),
                            m.value() >= r.value() * (1 - r.tolerance()),
                            false)));
        }
        return found;
    }

    private static void compare(
            Case c, String key, Optional<OptionalDouble> promised, OptionalDouble measured, List<Finding> found) {
        if (promised.isEmpty() || promised.get().isEmpty() || promised.get().getAsDouble() <= 0 || measured.isEmpty()) {
            return;
        }
        double share = measured.getAsDouble() / promised.get().getAsDouble();
        found.add(told(
                key,
                c.promised(key).orElse(""),
                shown(key, measured.getAsDouble()),
                share,
                share >= KEPT,
                share < FAR));
    }

    private static Finding told(String key, String promised, String measured, double share, boolean kept, boolean far) {
        return Findings.of(
                kept ? "PROMISE_KEPT" : "PROMISE_BROKEN",
                kept ? Severity.INFO : far ? Severity.FAIL : Severity.WARN,
                Owner.VENDOR,
                "promise",
                key,
                "promised",
                promised,
                "measured",
                measured,
                "deviation",
                (share >= 1 ? "+" : "") + Math.round((share - 1) * 100) + " %");
    }

    private static String shown(String key, double value) {
        return Map.of("memory", true, "disk", true).containsKey(key)
                ? Words.number(value / 1e9) + " GB"
                : Words.number(value);
    }

    private static OptionalDouble first(JsonNode node, String field, String other) {
        OptionalDouble value = Data.number(node, field);
        return value.isPresent() ? value : Data.number(node, other);
    }
}
