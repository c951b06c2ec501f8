package dev.seatrial.app.bench;

import static dev.seatrial.domain.measure.Verdict.FAIL;
import static dev.seatrial.domain.measure.Verdict.PASS;
import static dev.seatrial.domain.measure.Verdict.SKIPPED;
import static dev.seatrial.domain.measure.Verdict.UNKNOWN;
import static dev.seatrial.domain.measure.Verdict.WARN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Known faults and healthy machines: the right verdict, code and owner, and no false alarm. */
class DetectionMatrixTest {
    private static final Texts TEXTS = Texts.load();

    /** name, machine, verdict, what decided: a finding's code or a metric's name, owner (of a finding) or "" */
    static Stream<Arguments> faults() {
        return Stream.of(
                // identity
                fault("4090 D sold as 4090", swap("RTX-4090", "RTX-4090-D"), FAIL, "GPU_IDENTITY", "vendor"),
                fault("A800 sold as A100", swap("A100-SXM4-80G", "A800-SXM4-80G"), FAIL, "GPU_IDENTITY", "vendor"),
                fault("H800 sold as H100", swap("H100-SXM5-80G", "H800-SXM5-80G"), FAIL, "GPU_IDENTITY", "vendor"),
                fault("H20 sold as H100", swap("H100-SXM5-80G", "H20-96G"), FAIL, "GPU_IDENTITY", "vendor"),
                fault("A100 40G as 80G", swap("A100-SXM4-80G", "A100-SXM4-40G"), FAIL, "GPU_IDENTITY", "vendor"),
                fault("H100 PCIe as SXM", swap("H100-SXM5-80G", "H100-PCIe-80G"), FAIL, "GPU_IDENTITY", "vendor"),
                fault("SMs switched off", a100().set("smCount", 98), FAIL, "GPU_SM_MISMATCH", "vendor"),
                fault("memory missing", a100().set("memoryMiB", 73000), FAIL, "GPU_MEMORY_SHORT", "vendor"),
                fault(
                        "4090 with 48 GB",
                        Machine.environment("RTX-4090", 1).set("memoryMiB", 49140),
                        WARN,
                        "GPU_MEMORY_NOT_VENDOR",
                        "vendor"),
                fault(
                        "renamed without id",
                        a100().set("name", "NVIDIA A800-SXM4-80GB").drop("pciDeviceId"),
                        FAIL,
                        "GPU_IDENTITY",
                        "vendor"),
                fault(
                        "id and name unknown",
                        a100().set("name", "Graphics Device").set("pciDeviceId", "ffff"),
                        UNKNOWN,
                        "IDENTITY_UNTOLD",
                        "unknown"),
                fault("no such model", unknownModel(), UNKNOWN, "UNKNOWN_GPU", "ours"),
                fault("one card missing", eight().with(m -> m.gpus.remove(7)), FAIL, "GPU_COUNT_MISMATCH", "vendor"),
                fault("no card", a100().with(m -> m.gpus.clear()).fact("gpus", new int[0]), FAIL, "NO_GPU", "vendor"),
                fault("links missing", eight().set("nvlinks", 8), FAIL, "NVLINK_MISSING", "vendor"),
                fault("MIG slice", a100().set("mig", true).set("smCount", 14), FAIL, "MIG_SLICE", "vendor"),
                fault(
                        "vGPU by its name",
                        a100().set("name", "GRID A100-20C").set("memoryMiB", 20480),
                        FAIL,
                        "VGPU",
                        "vendor"),
                fault("vGPU by its mode", a100().set("virtualization", "VGPU"), FAIL, "VGPU", "vendor"),
                fault("soft slice", a100().set("cudaMemoryMiB", 40000), FAIL, "SOFT_SLICE", "vendor"),
                // condition
                fault("busy before us", a100().set("utilization", 37), FAIL, "OTHER_TENANT_LOAD", "vendor"),
                fault("remap pending", a100().set("remapPending", true), FAIL, "REMAP_PENDING", "vendor"),
                fault("remap failed", a100().set("remapFailure", true), FAIL, "REMAP_FAILURE", "vendor"),
                fault(
                        "reset wanted",
                        a100().set("recoveryAction", "Drain and Reset"),
                        FAIL,
                        "RECOVERY_ACTION",
                        "vendor"),
                fault("power capped", a100().set("powerLimitW", 300), WARN, "POWER_CAPPED", "vendor"),
                fault("ECC off", a100().set("eccMode", "Disabled"), WARN, "ECC_OFF", "vendor"),
                fault("x4 seen", a100().set("pcieWidth", 4), WARN, "PCIE_WIDTH", "vendor"),
                fault(
                        "SRAM errors",
                        a100().finding("ECC_UNCORRECTED", "fail", "vendor"),
                        FAIL,
                        "ECC_UNCORRECTED",
                        "vendor"),
                // software
                fault("CUDA unusable", noCuda(), FAIL, "CUDA_UNUSABLE", "unknown"),
                fault(
                        "wheel without the arch",
                        a100().finding("TORCH_ARCH_MISSING", "fail", "image"),
                        FAIL,
                        "TORCH_ARCH_MISSING",
                        "image"),
                fault(
                        "error 802",
                        eight().finding("CUDA_ERROR_802", "fail", "vendor"),
                        FAIL,
                        "CUDA_ERROR_802",
                        "vendor"),
                fault("error 804", a100().finding("CUDA_ERROR_804", "fail", "image"), FAIL, "CUDA_ERROR_804", "image"),
                fault(
                        "driver mismatch",
                        a100().finding("DRIVER_LIB_MISMATCH", "fail", "vendor"),
                        FAIL,
                        "DRIVER_LIB_MISMATCH",
                        "vendor"),
                fault(
                        "task needs more",
                        a100().finding("REQUIRES_UNMET", "fail", "image"),
                        FAIL,
                        "REQUIRES_UNMET",
                        "image"),
                fault("64 MB shm", a100().finding("SHM_SMALL", "warn", "image"), WARN, "SHM_SMALL", "image"),
                fault("oversold CPU", a100().finding("CPU_OVERSOLD", "warn", "vendor"), WARN, "CPU_OVERSOLD", "vendor"),
                fault("fewer cores than promised", a100().promise("cpu", "32"), WARN, "PROMISE_BROKEN", "vendor"),
                // compute
                fault(
                        "down-clocked",
                        Machine.compute().value("matmul_bf16_sustained", 171),
                        FAIL,
                        "matmul_bf16_sustained",
                        ""),
                fault(
                        "a little slow",
                        Machine.compute().value("matmul_bf16_sustained", 232),
                        WARN,
                        "matmul_bf16_sustained",
                        ""),
                fault("slow memory", Machine.compute().value("memory_copy", 1300), FAIL, "memory_copy", ""),
                fault("x4 link", Machine.compute().value("h2d_pinned", 6.4), FAIL, "h2d_pinned", ""),
                fault("gen 1 under load", Machine.compute().value("d2h_pinned", 3.2), FAIL, "d2h_pinned", ""),
                fault("x8 link", link(12.8, 4, 8), WARN, "h2d_pinned", ""),
                fault("host of PCIe 3", link(12.6, 3, 16), WARN, "h2d_pinned", ""),
                fault(
                        "unsteady",
                        Machine.compute().change("matmul_bf16_sustained", e -> e.put("cv", 0.06)),
                        WARN,
                        "matmul_bf16_sustained",
                        ""),
                fault(
                        "drops now and then",
                        Machine.compute().change("matmul_bf16_sustained", e -> e.put("min", 150.0)),
                        WARN,
                        "matmul_bf16_sustained",
                        ""),
                fault(
                        "too good",
                        Machine.compute().value("matmul_bf16_sustained", 300),
                        WARN,
                        "matmul_bf16_sustained",
                        ""),
                fault(
                        "impossible",
                        Machine.compute().value("matmul_bf16_sustained", 900),
                        UNKNOWN,
                        "ABOVE_PEAK",
                        "ours"),
                fault(
                        "wrong product",
                        Machine.compute().finding("WRONG_RESULT", "fail", "vendor"),
                        FAIL,
                        "WRONG_RESULT",
                        "vendor"),
                fault(
                        "heat",
                        Machine.compute().value("matmul_bf16_sustained", 190).finding("THROTTLE_HW", "fail", "vendor"),
                        FAIL,
                        "matmul_bf16_sustained",
                        ""),
                fault("one slow card of eight", slowCard(), FAIL, "GPU_SPREAD", "vendor"),
                fault("shared uplink", uplink(), WARN, "UPLINK_SHARED", "vendor"),
                fault(
                        "probe hung",
                        Machine.compute().finding("PROBE_TIMEOUT", "fail", "unknown"),
                        FAIL,
                        "PROBE_TIMEOUT",
                        "unknown"),
                fault(
                        "link not measured",
                        Machine.compute().remove("d2h_pinned"),
                        UNKNOWN,
                        "METRIC_MISSING",
                        "unknown"),
                fault(
                        "no torch",
                        Machine.stage(StageName.COMPUTE, "A100-SXM4-80G", 1).finding("TORCH_MISSING", "warn", "image"),
                        UNKNOWN,
                        "NOTHING_MEASURED",
                        "image"),
                // storage
                fault(
                        "HDD speed on NVMe",
                        Machine.storage().value("storage_seq_read", 0.18),
                        FAIL,
                        "storage_seq_read",
                        ""),
                fault(
                        "NVMe below its class",
                        Machine.storage().value("storage_seq_read", 1.1),
                        WARN,
                        "storage_seq_read",
                        ""),
                fault(
                        "half of the promise",
                        Machine.storage().promise("disk_read", "7GB/s"),
                        FAIL,
                        "storage_seq_read",
                        ""),
                fault(
                        "slow tail",
                        Machine.storage().value("storage_rand_read_4k_p99", 80),
                        FAIL,
                        "storage_rand_read_4k_p99",
                        ""),
                fault("tmpfs", memoryDisk(), UNKNOWN, "METRIC_UNSURE", "ours"),
                fault(
                        "page-cache illusion",
                        Machine.storage().with(DetectionMatrixTest::low),
                        UNKNOWN,
                        "METRIC_UNSURE",
                        "ours"),
                fault(
                        "IO errors",
                        Machine.storage().finding("STORAGE_IO_ERROR", "fail", "vendor"),
                        FAIL,
                        "STORAGE_IO_ERROR",
                        "vendor"),
                // network
                fault(
                        "egress blocked",
                        network().finding("NETWORK_NO_EGRESS", "fail", "vendor"),
                        FAIL,
                        "NETWORK_NO_EGRESS",
                        "vendor"),
                fault("slow download", network().promise("download", "2Gbps"), FAIL, "network_download", ""),
                fault("loss", network().measure("network_loss", 5, "%", "tcp-connect/1", -1), WARN, "network_loss", ""),
                fault(
                        "nothing named",
                        Machine.stage(StageName.NETWORK, "A100-SXM4-80G", 1)
                                .finding("NETWORK_NO_TARGETS", "info", "ours"),
                        UNKNOWN,
                        "NOTHING_MEASURED",
                        "ours"),
                // interconnect
                fault("A100 board slow", Machine.allReduce("A100-SXM4-80G", 8, 150), FAIL, "allreduce_busbw", ""),
                fault(
                        "A100 board a little slow",
                        Machine.allReduce("A100-SXM4-80G", 8, 205),
                        WARN,
                        "allreduce_busbw",
                        ""),
                fault(
                        "H100 without in-switch reduction",
                        Machine.allReduce("H100-SXM5-80G", 8, 362).attrs("nvls", false),
                        WARN,
                        "allreduce_busbw",
                        ""),
                fault(
                        "H100 slow even without it",
                        Machine.allReduce("H100-SXM5-80G", 8, 250).attrs("nvls", false),
                        FAIL,
                        "allreduce_busbw",
                        ""),
                fault("4090s over a bad host", Machine.allReduce("RTX-4090", 8, 2.1), FAIL, "allreduce_busbw", ""),
                fault(
                        "P2P broken",
                        Machine.allReduce("A100-SXM4-80G", 8, 232).finding("P2P_BROKEN", "fail", "vendor"),
                        FAIL,
                        "P2P_BROKEN",
                        "vendor"),
                fault(
                        "wrong sum",
                        Machine.allReduce("A100-SXM4-80G", 8, 232).finding("ALLREDUCE_WRONG", "fail", "vendor"),
                        FAIL,
                        "ALLREDUCE_WRONG",
                        "vendor"),
                fault(
                        "hang",
                        Machine.stage(StageName.INTERCONNECT, "A100-SXM4-80G", 8)
                                .finding("NCCL_FAILED", "fail", "unknown"),
                        FAIL,
                        "NCCL_FAILED",
                        "unknown"),
                fault("NVLink pair over PCIe", pairs(276, 22), FAIL, "P2P_SLOW_LINK", "vendor"),
                fault("one way slower", pairs(276, 190), FAIL, "P2P_ASYMMETRIC", "vendor"),
                // stability
                fault("drift", Machine.soak("A100-SXM4-80G").value("soak_drift", 9.1), FAIL, "soak_drift", ""),
                fault("some drift", Machine.soak("A100-SXM4-80G").value("soak_drift", 4), WARN, "soak_drift", ""),
                fault(
                        "hardware slowdown",
                        Machine.soak("A100-SXM4-80G").value("throttle_hw_share", 2.5),
                        FAIL,
                        "throttle_hw_share",
                        ""),
                fault(
                        "hot",
                        Machine.soak("A100-SXM4-80G").value("gpu_temperature_p95", 86),
                        WARN,
                        "gpu_temperature_p95",
                        ""),
                fault("Xid 79", xid(79, "fail"), FAIL, "XID_79", "vendor"),
                fault("Xid 48", xid(48, "warn"), FAIL, "XID_48", "vendor"),
                fault("Xid 119", xid(119, "fail"), FAIL, "XID_119", "vendor"),
                fault("Xid 94 once", xid(94, "warn"), WARN, "XID_94", "vendor"),
                fault("Xid 63", xid(63, "warn"), WARN, "XID_63", "vendor"),
                fault(
                        "card lost without Xid",
                        Machine.soak("A100-SXM4-80G").finding("GPU_LOST", "fail", "vendor"),
                        FAIL,
                        "GPU_LOST",
                        "vendor"),
                fault("slower in the evening", canary(), WARN, "CANARY_DROP", "vendor"),
                // how it ended
                fault("connection lost", Machine.compute().end("lost"), UNKNOWN, "CONNECTION_LOST", "transport"),
                fault("our limit", Machine.compute().end("timed-out"), UNKNOWN, "LIMIT_REACHED", "ours"),
                fault("stopped", Machine.compute().end("stopped"), UNKNOWN, "STAGE_STOPPED", "ours"),
                fault(
                        "our bug",
                        Machine.compute().finding("STAGE_FAILED", "fail", "ours"),
                        UNKNOWN,
                        "STAGE_FAILED",
                        "ours"),
                fault(
                        "slow, then lost",
                        Machine.compute().value("matmul_bf16_sustained", 171).end("lost"),
                        FAIL,
                        "matmul_bf16_sustained",
                        ""),
                fault(
                        "silent",
                        Machine.stage(StageName.COMPUTE, "A100-SXM4-80G", 1),
                        UNKNOWN,
                        "NOTHING_MEASURED",
                        "unknown"),
                fault(
                        "unknown metric only",
                        Machine.stage(StageName.STORAGE, "A100-SXM4-80G", 1)
                                .measure("storage_magic", 9, "GB/s", "x/1", -1),
                        UNKNOWN,
                        "METRIC_MISSING",
                        "unknown"),
                fault(
                        "other method",
                        Machine.compute().change("matmul_bf16_sustained", e -> e.put("method", "matmul/9")),
                        UNKNOWN,
                        "NO_REFERENCE",
                        "ours"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void tellsTheFault(String name, Machine machine, Verdict verdict, String decided, String owner) {
        StageResult result = machine.judge();

        assertThat(result.verdict()).as(result.reason()).isEqualTo(verdict);
        if (owner.isEmpty()) {
            assertThat(result.measurements())
                    .filteredOn(m -> m.name().equals(decided))
                    .anySatisfy(m -> assertThat(m.verdict()).isEqualTo(verdict));
            assertThat(result.reason()).startsWith(TEXTS.metric(decided, Locale.ENGLISH));
        } else {
            assertThat(result.findings())
                    .filteredOn(f -> f.code().equals(decided))
                    .isNotEmpty()
                    .extracting(Finding::owner)
                    .contains(Owner.of(owner));
            assertThat(result.findings())
                    .filteredOn(f -> f.code().equals(decided))
                    .extracting(Finding::message)
                    .contains(result.reason());
        }
        assertThat(result.reason()).doesNotContain("{", "null", "NaN");
        String chinese = TEXTS.reason(result, Locale.CHINESE);
        assertThat(chinese).doesNotContain("{", "null", "NaN").containsPattern("\\p{IsHan}");
    }

    static Stream<Arguments> healthy() {
        return Stream.of(
                well("A100 80G", a100()),
                well("eight A100", eight()),
                well("A800 as itself", Machine.environment("A800-SXM4-80G", 8)),
                well("H800 as itself", Machine.environment("H800-SXM5-80G", 8)),
                well("H100 PCIe as itself", Machine.environment("H100-PCIe-80G", 1)),
                well("H20", Machine.environment("H20-96G", 8)),
                well("H200", Machine.environment("H200-SXM-141G", 1)),
                well("4090", Machine.environment("RTX-4090", 8)),
                well("4090 with 48 GB sold as that", Machine.environment("RTX-4090-48G", 1)),
                well("L20 by its second id", Machine.environment("L20", 1).set("pciDeviceId", "26b7")),
                well("L40S with ECC's share gone", Machine.environment("L40S", 1)),
                well("idle link at gen 1", a100().set("pcieGen", 1)),
                well("links off in a one-GPU VM", a100().set("nvlinks", 0)),
                well(
                        "empty cells",
                        a100().set("pcieWidth", null)
                                .set("eccMode", null)
                                .set("powerLimitW", null)
                                .set("nvlinks", null)
                                .set("recoveryAction", null)),
                well("persistence off", a100().finding("PERSISTENCE_OFF", "info", "image")),
                well(
                        "disclosed MIG slice",
                        a100().set("mig", true).promise("mig", "3g.40gb").set("memoryMiB", 40448)),
                well("old Xid", a100().finding("XID_79", "info", "vendor", Map.of("when", "before"))),
                well("machine without GPU, as asked for", noGpu()),
                well("more GPUs than pinned", a100().with(m -> m.gpus.add(Machine.card("A100-SXM4-80G", 1)))),
                well("A100 figures", Machine.compute()),
                well("A100 at the lower edge", Machine.compute().value("matmul_bf16_sustained", 246)),
                well("A800 figures", Machine.compute("A800-SXM4-80G", 1, 264, 1690, 25.8)),
                well("H100 PCIe against SXM bars", Machine.compute("H100-PCIe-80G", 1, 470, 1790, 52)),
                well("H200 figures", Machine.compute("H200-SXM-141G", 1, 662, 4270, 54.3)),
                well("H100 figures", Machine.compute("H100-SXM5-80G", 1, 700, 3050, 52)),
                well("H20 figures", Machine.compute("H20-96G", 1, 138, 3600, 54)),
                well("4090 figures", Machine.compute("RTX-4090", 1, 165, 930, 25.2)),
                well("eight A100 with the usual spread", usualSpread()),
                well("V100 by FP16", v100()),
                well("NVMe", Machine.storage()),
                well(
                        "network disk",
                        Machine.storage()
                                .disk("nfs4", "10.0.0.1:/x", true)
                                .value("storage_seq_read", 0.5)
                                .value("storage_rand_read_4k", 9000)
                                .value("storage_rand_read_4k_p99", 60)),
                well(
                        "overlay on a good disk",
                        Machine.storage()
                                .disk("overlay", "overlay", false)
                                .finding("STORAGE_OVERLAY", "info", "image")),
                well("promise kept", Machine.storage().promise("disk_read", "3GB/s")),
                well("network without promise", network()),
                well("all-reduce on A100", Machine.allReduce("A100-SXM4-80G", 8, 232)),
                well("all-reduce on two A100", Machine.allReduce("A100-SXM4-80G", 2, 210)),
                well("all-reduce on A800 as itself", Machine.allReduce("A800-SXM4-80G", 8, 158)),
                well("all-reduce on H800 as itself", Machine.allReduce("H800-SXM5-80G", 8, 215)),
                well("all-reduce on 4090s", Machine.allReduce("RTX-4090", 8, 11)),
                well("symmetric pairs", pairs(276, 271)),
                well("soak at the power limit", Machine.soak("A100-SXM4-80G")),
                well(
                        "task without expectation",
                        Machine.stage(StageName.TASK, "A100-SXM4-80G", 1)
                                .measure("task_seconds", 83, "s", "task/1", -1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("healthy")
    void raisesNoFalseAlarm(String name, Machine machine) {
        StageResult result = machine.judge();

        assertThat(result.verdict())
                .as(result.reason() + " " + result.findings())
                .isEqualTo(PASS);
        assertThat(result.reason()).isNotBlank().doesNotContain("{", "?", "null", "NaN");
        assertThat(TEXTS.reason(result, Locale.CHINESE)).isNotBlank().doesNotContain("{", "?", "null", "NaN");
    }

    @ParameterizedTest
    @MethodSource("pointless")
    void whatNeedsSeveralCardsIsSkippedWithOne(Machine machine) {
        assertThat(machine.judge().verdict()).isEqualTo(SKIPPED);
    }

    static Stream<Machine> pointless() {
        return Stream.of(
                Machine.stage(StageName.INTERCONNECT, "A100-SXM4-80G", 1).finding("SINGLE_GPU", "info", "unknown"),
                Machine.stage(StageName.INTERCONNECT, "A100-SXM4-80G", 1),
                Machine.stage(StageName.STABILITY, "none", 0).finding("NO_GPU", "fail", "vendor"),
                Machine.compute().end("skipped"));
    }

    private static Arguments fault(String name, Machine machine, Verdict verdict, String decided, String owner) {
        return arguments(name, machine, verdict, decided, owner);
    }

    private static Arguments well(String name, Machine machine) {
        return arguments(name, machine);
    }

    private static Machine a100() {
        return Machine.environment("A100-SXM4-80G", 1);
    }

    private static Machine eight() {
        return Machine.environment("A100-SXM4-80G", 8);
    }

    private static Machine swap(String offered, String is) {
        return Machine.environment(offered, 1).with(m -> {
            m.gpus.clear();
            m.gpus.add(Machine.card(is, 0));
        });
    }

    private static Machine unknownModel() {
        Machine machine = Machine.stage(StageName.ENVIRONMENT, "Z9000", 1);
        machine.gpus.add(Machine.card("A100-SXM4-80G", 0));
        return machine;
    }

    private static Machine noGpu() {
        return Machine.stage(StageName.ENVIRONMENT, "none", 0)
                .fact("host", Map.of("cpus", 4, "cpusUsable", 4, "memoryMiB", 16000))
                .fact("gpus", new int[0])
                .finding("NO_GPU", "fail", "vendor");
    }

    private static Machine noCuda() {
        return a100().remove("software").fact("software", Map.of("torch", "2.6.0", "cudaAvailable", false));
    }

    private static Machine link(double rate, int generation, int width) {
        return Machine.compute().change("h2d_pinned", e -> {
            e.put("value", rate);
            e.put("min", rate);
            e.put("attrs", Map.of("pcieGen", generation, "pcieWidth", width));
        });
    }

    private static Machine slowCard() {
        Machine machine = Machine.compute("A100-SXM4-80G", 8, 270, 1700, 25.9);
        // Above its own bar, and yet far behind its neighbours.
        return machine.change("matmul_bf16_sustained", e -> {
            if ("GPU-5".equals(e.get("gpu"))) {
                e.put("value", 240.0);
                e.put("min", 239.0);
            }
        });
    }

    private static Machine usualSpread() {
        double[] value = {262};
        return Machine.compute("A100-SXM4-80G", 8, 265, 1700, 25.9)
                .change("matmul_bf16_sustained", e -> e.put("value", value[0] += 1.2));
    }

    private static Machine uplink() {
        Machine machine = Machine.compute("A100-SXM4-80G", 8, 268, 1700, 25.9);
        for (int i = 0; i < 8; i++) {
            machine.measure("h2d_pinned_together", 6.2, "GB/s", "pinned/1", i);
        }
        return machine;
    }

    private static Machine v100() {
        return Machine.compute("V100-SXM2-32G", 1, 10, 790, 12.4)
                .remove("matmul_bf16_sustained")
                .measure("matmul_fp16_sustained", 96, "TFLOP/s", "matmul/1", 0);
    }

    private static Machine memoryDisk() {
        return Machine.storage()
                .disk("tmpfs", "tmpfs", false)
                .with(DetectionMatrixTest::low)
                .finding("STORAGE_TMPFS", "warn", "image");
    }

    private static void low(Machine machine) {
        machine.events.forEach(e -> e.computeIfPresent("confidence", (key, word) -> "low"));
    }

    private static Machine network() {
        return Machine.stage(StageName.NETWORK, "A100-SXM4-80G", 1)
                .measure("network_download", 95, "MB/s", "http-get/1", -1)
                .measure("network_latency", 12, "ms", "tcp-connect/1", -1);
    }

    private static Machine pairs(double there, double back) {
        return Machine.allReduce("A100-SXM4-80G", 2, 225)
                .measure("p2p_copy", there, "GB/s", "peer-copy/1", 0)
                .attrs("from", "GPU-0", "to", "GPU-1", "link", "NV12")
                .measure("p2p_copy", back, "GB/s", "peer-copy/1", 1)
                .attrs("from", "GPU-1", "to", "GPU-0", "link", "NV12");
    }

    private static Machine xid(int number, String severity) {
        return Machine.soak("A100-SXM4-80G")
                .finding(
                        "XID_" + number, severity, "vendor", Map.of("xid", Integer.toString(number), "when", "during"));
    }

    private static Machine canary() {
        return Machine.soak("A100-SXM4-80G")
                .measure("canary_h2d", 25.8, "GB/s", "soak/1", 0)
                .attrs("moment", "start")
                .measure("canary_h2d", 19.0, "GB/s", "soak/1", 0)
                .attrs("moment", "evening");
    }
}
