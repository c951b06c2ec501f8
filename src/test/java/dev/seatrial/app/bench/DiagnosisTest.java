package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.app.bench.Texts.FindingText;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Each failure text of drivers, CUDA, PyTorch and NCCL: what it means, whose it is, what to do, in both languages. */
class DiagnosisTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Texts TEXTS = Texts.load();

    @TempDir
    static Path directory;

    /**
     * @param text what a tool prints
     * @param english what the English diagnosis must speak of
     * @param chinese what the Chinese one must speak of
     */
    private record Row(String text, String code, Owner owner, String english, String chinese) {}

    private static final List<Row> ROWS = List.of(
            row(
                    "CUDA error: no kernel image is available for execution on the device",
                    "TORCH_ARCH_MISSING",
                    Owner.IMAGE,
                    "architecture",
                    "架构"),
            row(
                    "RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
                    "TORCH_ARCH_MISSING",
                    Owner.IMAGE,
                    "architecture",
                    "架构"),
            row(
                    "The NVIDIA driver on your system is too old (found version 11040).",
                    "CUDA_DRIVER_TOO_OLD",
                    Owner.VENDOR,
                    "too old",
                    "太旧"),
            row(
                    "Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW",
                    "CUDA_ERROR_804",
                    Owner.IMAGE,
                    "compatibility libraries",
                    "兼容库"),
            row(
                    "Error 802: system not yet initialized",
                    "CUDA_ERROR_802",
                    Owner.VENDOR,
                    "fabric manager",
                    "fabric manager"),
            row(
                    "Unexpected error from cudaGetDeviceCount(). Error 101: invalid device ordinal",
                    "CUDA_UNUSABLE",
                    Owner.IMAGE,
                    "sees no GPU",
                    "看不到 GPU"),
            row("RuntimeError: No CUDA GPUs are available", "CUDA_UNUSABLE", Owner.IMAGE, "sees no GPU", "看不到 GPU"),
            row("CUDA error: device-side assert triggered", "CUDA_PROGRAM_ERROR", Owner.UNKNOWN, "program", "程序"),
            row(
                    "CUDA error: an illegal memory access was encountered",
                    "CUDA_PROGRAM_ERROR",
                    Owner.UNKNOWN,
                    "program",
                    "程序"),
            row(
                    "CUDA error: uncorrectable ECC error encountered",
                    "ECC_UNCORRECTED",
                    Owner.VENDOR,
                    "could not be corrected",
                    "无法纠正"),
            row("CUDA error: unspecified launch failure", "CUDA_UNUSABLE", Owner.VENDOR, "card is suspect", "这张卡可疑"),
            row("RuntimeError: CUDA error: unknown error", "CUDA_UNUSABLE", Owner.VENDOR, "card is suspect", "这张卡可疑"),
            row(
                    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
                    "OTHER_TENANT_LOAD",
                    Owner.VENDOR,
                    "somebody else",
                    "别人"),
            row(
                    "libcudnn.so.9: cannot open shared object file: No such file or directory",
                    "CUDA_UNUSABLE",
                    Owner.IMAGE,
                    "cuDNN",
                    "cuDNN"),
            row("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "CUDA_UNUSABLE", Owner.IMAGE, "cuDNN", "cuDNN"),
            row(
                    "AssertionError: Torch not compiled with CUDA enabled",
                    "TORCH_CPU_ONLY",
                    Owner.IMAGE,
                    "CPU-only",
                    "仅 CPU"),
            row(
                    "Failed to initialize NVML: Driver/library version mismatch",
                    "DRIVER_LIB_MISMATCH",
                    Owner.VENDOR,
                    "different versions",
                    "不一致"),
            row("Failed to initialize NVML: Unknown Error", "GPU_LOST", Owner.VENDOR, "container", "容器"),
            row("No devices were found", "NO_GPU", Owner.VENDOR, "no GPU answers", "没有 GPU 应答"),
            row(
                    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
                    "DRIVER_NOT_LOADED",
                    Owner.VENDOR,
                    "not loaded",
                    "没有加载"),
            row(
                    "Unable to determine the device handle for GPU0000:A1:00.0: Unknown Error",
                    "GPU_LOST",
                    Owner.VENDOR,
                    "cannot open",
                    "无法打开"),
            row(
                    "GPU is lost.  Reboot the system to recover this GPU",
                    "GPU_LOST",
                    Owner.VENDOR,
                    "fell off the bus",
                    "消失"),
            row(
                    "NCCL WARN Call to posix_fallocate failed: /dev/shm/nccl-1 : No space left on device",
                    "SHM_SMALL",
                    Owner.IMAGE,
                    "/dev/shm",
                    "/dev/shm"),
            row("NCCL WARN unable to mmap /dev/shm/nccl-2", "SHM_SMALL", Owner.IMAGE, "/dev/shm", "/dev/shm"),
            row(
                    "NCCL WARN Cuda failure 'peer access is not supported between these two devices'",
                    "P2P_BROKEN",
                    Owner.VENDOR,
                    "each other's memory",
                    "直接访问显存"),
            row(
                    "NCCL WARN Bootstrap : no socket interface found",
                    "NCCL_FAILED",
                    Owner.IMAGE,
                    "network interface",
                    "网卡"),
            row(
                    "torch.distributed.DistBackendError: NCCL error, unhandled system error",
                    "NCCL_FAILED",
                    Owner.UNKNOWN,
                    "system or CUDA call",
                    "通信失败"),
            row(
                    "python3[812]: segfault at 18 ip 0000 sp 0000 error 4 in libnccl.so.2",
                    "NCCL_FAILED",
                    Owner.IMAGE,
                    "crashed",
                    "崩溃"),
            row(
                    "CUDA initialization: Error 803: system has unsupported display driver / cuda driver combination",
                    "DRIVER_LIB_MISMATCH",
                    Owner.IMAGE,
                    "does not belong",
                    "不配套"),
            row(
                    "ImportError: libcuda.so.1: cannot open shared object file",
                    "CUDA_UNUSABLE",
                    Owner.IMAGE,
                    "driver library",
                    "驱动库"),
            row(
                    "ImportError: libcublasLt.so.12: undefined symbol: cublasLtGetVersion",
                    "CUDA_UNUSABLE",
                    Owner.IMAGE,
                    "does not fit",
                    "不配套"),
            row(
                    "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.",
                    "DRIVER_NOT_LOADED",
                    Owner.IMAGE,
                    "NVML library",
                    "NVML 库"),
            row(
                    "Failed to initialize NVML: Insufficient Permissions",
                    "CUDA_UNUSABLE",
                    Owner.IMAGE,
                    "may not open",
                    "无权打开"));

    private static Row row(String text, String code, Owner owner, String english, String chinese) {
        return new Row(text, code, owner, english, chinese);
    }

    @TestFactory
    Stream<DynamicTest> everyTextIsDiagnosed() throws IOException, InterruptedException {
        List<List<Finding>> found = findings();
        List<DynamicTest> tests = new ArrayList<>();
        for (int i = 0; i < ROWS.size(); i++) {
            Row row = ROWS.get(i);
            List<Finding> of = found.get(i);
            tests.add(DynamicTest.dynamicTest(row.text(), () -> check(row, of)));
        }
        return tests.stream();
    }

    private static void check(Row row, List<Finding> found) {
        assertThat(found).extracting(Finding::code).containsExactly(row.code());
        Finding finding = found.get(0);
        FindingText english = TEXTS.finding(finding, Locale.ENGLISH);
        FindingText chinese = TEXTS.finding(finding, Locale.SIMPLIFIED_CHINESE);

        assertThat(finding.owner()).isEqualTo(row.owner());
        assertThat(english.message()).contains(row.english()).doesNotContain("{");
        assertThat(english.next()).isNotBlank();
        assertThat(chinese.message()).contains(row.chinese()).doesNotContain("{");
        assertThat(chinese.next()).containsPattern("\\p{IsHan}").doesNotContain("{");
        assertThat(finding.evidence()).isEqualTo(row.text());
    }

    /** What the payload makes of the texts, read as its events are. */
    private static List<List<Finding>> findings() throws IOException, InterruptedException {
        Path in = Files.writeString(
                directory.resolve("texts.json"),
                JSON.writeValueAsString(ROWS.stream().map(Row::text).toList()));
        Path out = directory.resolve("found.jsonl");
        ProcessBuilder python = new ProcessBuilder("python3", "diagnose_lines.py")
                .directory(Path.of("test/payload").toFile())
                .redirectInput(in.toFile())
                .redirectError(directory.resolve("errors.txt").toFile())
                .redirectOutput(out.toFile());
        python.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process p;
        try {
            p = python.start();
        } catch (IOException e) {
            assumeTrue(false, "SKIPPED: the payload's table needs python3 on the path");
            throw e;
        }
        assertThat(p.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(p.exitValue())
                .as(Files.readString(directory.resolve("errors.txt")))
                .isZero();
        List<List<Finding>> found = new ArrayList<>();
        for (String line : Files.readAllLines(out, StandardCharsets.UTF_8)) {
            List<StoredEvent> events = new ArrayList<>();
            for (JsonNode event : JSON.readTree(line)) {
                events.add(new StoredEvent(events.size() + 1, event.toString()));
            }
            found.add(Evidence.read(events).findings());
        }
        return found;
    }
}
