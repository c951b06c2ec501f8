package dev.seatrial.app.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.provider.ProviderId;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** A machine as its event lines describe it: healthy unless a test breaks something. */
final class Machine {
    static final GpuCatalogue CATALOGUE = GpuCatalogue.load();
    static final DefaultJudge JUDGE = DefaultJudge.load();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant START = Instant.parse("2026-11-30T02:00:00Z");

    final String gpu;
    final StageName stage;
    final int count;
    final List<Map<String, Object>> gpus = new ArrayList<>();
    final List<Map<String, Object>> events = new ArrayList<>();
    final Map<String, String> promised = new HashMap<>();
    Optional<TaskSpec> task = Optional.empty();
    final Map<String, TaskSpec.Expectation> expect = new HashMap<>();
    String end = "ok";
    private String lease = "lease-1";
    private int attempt = 1;

    private Machine(StageName stage, String gpu, int count) {
        this.stage = stage;
        this.gpu = gpu;
        this.count = count;
    }

    /** An environment stage on a healthy machine with these cards. */
    static Machine environment(String gpu, int count) {
        Machine machine = new Machine(StageName.ENVIRONMENT, gpu, count);
        for (int i = 0; i < count; i++) {
            machine.gpus.add(card(gpu, i));
        }
        machine.fact("host", Map.of("cpus", 16, "cpusUsable", 16.0, "memoryMiB", 257000, "memoryLimitMiB", 257000));
        machine.fact(
                "software",
                Map.of("driver", "570.86.10", "driverCuda", "12.8", "torch", "2.6.0", "cudaAvailable", true));
        return machine;
    }

    static Map<String, Object> card(String gpu, int index) {
        GpuModel model = CATALOGUE.find(gpu).orElseThrow();
        Map<String, Object> card = new LinkedHashMap<>();
        card.put("index", index);
        card.put("uuid", "GPU-" + index);
        card.put("name", model.aliases().get(0));
        card.put("pciDeviceId", model.pciIds().get(0));
        card.put("pciVendorId", model.vendor());
        card.put("memoryMiB", model.memoryMiB().orElse(0));
        card.put("smCount", model.sm().orElse(0));
        card.put("pcieGen", 1); // idle
        card.put("pcieGenMax", model.pcie().orElse(5));
        card.put("pcieWidth", 16);
        card.put("pcieWidthMax", 16);
        card.put("powerLimitW", model.tdp().orElse(300));
        card.put("powerDefaultW", model.tdp().orElse(300));
        card.put("eccMode", model.ecc() ? "Enabled" : "Disabled");
        card.put("mig", false);
        card.put("remapPending", false);
        card.put("remapFailure", false);
        card.put("recoveryAction", "None");
        card.put("utilization", 0);
        card.put("memoryUsedMiB", 3);
        if (model.nvlinks().isPresent()) {
            card.put("nvlinks", model.nvlinks().getAsInt());
        }
        return card;
    }

    /** A compute stage with the figures of a healthy A100-SXM4-80G. */
    static Machine compute() {
        return compute("A100-SXM4-80G", 1, 268, 1702, 25.9);
    }

    static Machine compute(String gpu, int count, double bf16, double memory, double link) {
        Machine machine = new Machine(StageName.COMPUTE, gpu, count);
        for (int i = 0; i < count; i++) {
            machine.measure("matmul_bf16_sustained", bf16, "TFLOP/s", "matmul/1", i);
            machine.measure("memory_copy", memory, "GB/s", "copy/1", i);
            machine.measure("h2d_pinned", link, "GB/s", "pinned/1", i);
            machine.measure("d2h_pinned", link, "GB/s", "pinned/1", i);
        }
        machine.measure("host_cpu_single_core", 380, "Mop/s", "host-core/1", -1);
        return machine;
    }

    /** A storage stage on a local NVMe disk. */
    static Machine storage() {
        Machine machine = new Machine(StageName.STORAGE, "A100-SXM4-80G", 1);
        machine.disk("ext4", "/dev/nvme0n1p1", false);
        machine.measure("storage_seq_write", 1.9, "GB/s", "seq-1m-qd16/1", -1);
        machine.measure("storage_seq_read", 3.2, "GB/s", "seq-1m-qd16/1", -1);
        machine.measure("storage_rand_read_4k", 180_000, "IOPS", "rand-4k-qd128/1", -1);
        machine.measure("storage_rand_read_4k_p99", 1.4, "ms", "rand-4k-qd128/1", -1);
        machine.measure("storage_small_files", 9000, "files/s", "small-files-110k-t8/1", -1);
        return machine;
    }

    static Machine stage(StageName stage, String gpu, int count) {
        return new Machine(stage, gpu, count);
    }

    static Machine allReduce(String gpu, int count, double busbw) {
        Machine machine = new Machine(StageName.INTERCONNECT, gpu, count);
        machine.measure("allreduce_busbw", busbw / 4, "GB/s", "allreduce/1", -1);
        machine.attrs("bytes", 1 << 20, "largest", false);
        machine.measure("allreduce_busbw", busbw, "GB/s", "allreduce/1", -1);
        machine.attrs("bytes", 1 << 30, "largest", true);
        return machine;
    }

    static Machine soak(String gpu) {
        Machine machine = new Machine(StageName.STABILITY, gpu, 1);
        machine.measure("soak_throughput", 264, "TFLOP/s", "soak/1", 0);
        machine.measure("soak_drift", 0.8, "%", "soak/1", 0);
        machine.measure("gpu_temperature_p95", 71, "°C", "soak/1", 0);
        machine.measure("throttle_hw_share", 0, "%", "soak/1", 0);
        machine.measure("throttle_power_share", 97, "%", "soak/1", 0);
        return machine;
    }

    Machine with(Consumer<Machine> change) {
        change.accept(this);
        return this;
    }

    Machine disk(String type, String source, boolean network) {
        events.removeIf(e -> "storage".equals(e.get("name")));
        return fact(
                "storage",
                Map.of("type", type, "source", source, "network", network, "freeMiB", 800_000, "rotational", false));
    }

    Machine set(String field, Object value) {
        gpus.forEach(card -> card.put(field, value));
        return this;
    }

    Machine drop(String field) {
        gpus.forEach(card -> card.remove(field));
        return this;
    }

    Machine fact(String name, Object value) {
        events.add(new LinkedHashMap<>(Map.of("type", "fact", "name", name, "value", value)));
        return this;
    }

    Machine measure(String name, double value, String unit, String method, int gpuIndex) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("type", "measurement");
        event.put("name", name);
        event.put("unit", unit);
        event.put("value", value);
        event.put("n", 5);
        event.put("min", value * 0.995);
        event.put("max", value * 1.004);
        event.put("cv", 0.004);
        event.put("method", method);
        event.put("tool", "torch");
        event.put("confidence", "normal");
        if (gpuIndex >= 0) {
            event.put("gpu", "GPU-" + gpuIndex);
        }
        event.put("attrs", new LinkedHashMap<String, Object>());
        events.add(event);
        return this;
    }

    /** Attributes of the last measurement, names and values by turns. */
    @SuppressWarnings("unchecked")
    Machine attrs(Object... pairs) {
        Map<String, Object> attrs =
                (Map<String, Object>) events.get(events.size() - 1).get("attrs");
        for (int i = 0; i < pairs.length; i += 2) {
            attrs.put(pairs[i].toString(), pairs[i + 1]);
        }
        return this;
    }

    /** Changes every measurement of this name. */
    Machine change(String name, Consumer<Map<String, Object>> change) {
        events.stream().filter(e -> name.equals(e.get("name"))).forEach(change);
        return this;
    }

    Machine value(String name, double value) {
        return change(name, e -> {
            e.put("value", value);
            e.put("min", value * 0.995);
            e.put("max", value * 1.004);
        });
    }

    Machine remove(String name) {
        events.removeIf(e -> name.equals(e.get("name")));
        return this;
    }

    Machine finding(String code, String severity, String owner) {
        return finding(code, severity, owner, Map.of());
    }

    Machine finding(String code, String severity, String owner, Map<String, String> params) {
        events.add(new LinkedHashMap<>(Map.of(
                "type",
                "finding",
                "code",
                code,
                "severity",
                severity,
                "owner",
                owner,
                "message",
                "the machine's words on " + code,
                "params",
                params)));
        return this;
    }

    Machine promise(String key, String value) {
        promised.put(key, value);
        return this;
    }

    Machine end(String word) {
        end = word;
        return this;
    }

    /** Another machine, or the same one again. */
    Machine on(String lease, int attempt) {
        this.lease = lease;
        this.attempt = attempt;
        return this;
    }

    StageResult judge() {
        return JUDGE.judge(evidence(lines()));
    }

    List<StoredEvent> lines() {
        List<Map<String, Object>> all = new ArrayList<>(events);
        if (!gpus.isEmpty()) {
            all.add(Map.of("type", "fact", "name", "gpus", "value", gpus));
        }
        List<StoredEvent> lines = new ArrayList<>();
        for (Map<String, Object> event : all) {
            ObjectNode node = JSON.createObjectNode();
            node.put("seatrial", 1);
            node.put("seq", lines.size() + 1);
            event.forEach(node::putPOJO);
            try {
                lines.add(new StoredEvent(lines.size() + 1, JSON.writeValueAsString(node)));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e);
            }
        }
        return lines;
    }

    StageEvidence evidence(List<StoredEvent> lines) {
        StageRunRow run = new StageRunRow(
                "run-" + lease + "-" + stage.word() + "-" + attempt,
                "e1",
                "candidate",
                count > 1 ? Phase.MULTI : Phase.SINGLE,
                gpu.equals(Candidate.NO_GPU) ? 0 : count,
                stage,
                lease,
                attempt,
                "ended",
                0,
                1,
                "",
                started(),
                Optional.of(started().plusSeconds(50)),
                end);
        return new StageEvidence(plan(), candidate(), run, lines);
    }

    private Instant started() {
        long machine = Integer.parseInt(lease.substring(lease.lastIndexOf('-') + 1));
        return START.plusSeconds(stage.ordinal() * 120L + attempt * 60L + machine * 3600L);
    }

    Candidate candidate() {
        return new Candidate(
                "candidate",
                new ProviderId("sim"),
                Optional.empty(),
                gpu,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                promised,
                Optional.empty());
    }

    Plan plan() {
        return new Plan(
                "test",
                "0".repeat(64),
                "quick",
                new Budget(BigMoney.of(CurrencyUnit.of("CNY"), new BigDecimal("20")), Map.of()),
                List.of(candidate()),
                List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.STORAGE),
                Optional.empty(),
                Duration.ofHours(1),
                task,
                List.of(),
                Optional.empty(),
                new Limits(Duration.ofMinutes(20), Duration.ofHours(10), Optional.empty(), Map.of(), Optional.empty()),
                Set.of(),
                Duration.ofHours(1),
                expect);
    }
}
