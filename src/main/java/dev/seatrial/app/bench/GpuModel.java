package dev.seatrial.app.bench;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * One GPU in one form factor: what tells it apart, and what its data sheet says.
 *
 * @param name normalised name, e.g. {@code A100-SXM4-80G}
 * @param vendor PCI vendor id, four lower-case hex digits; {@code 10de} is NVIDIA
 * @param pciIds PCI device ids of this model, four lower-case hex digits each
 * @param sm streaming multiprocessors (compute units elsewhere), when known
 * @param capability CUDA compute capability such as {@code 8.0}, when known
 * @param fp32 dense peak in TFLOP/s, CUDA cores
 * @param tf32 dense peak in TFLOP/s
 * @param bf16 dense peak in TFLOP/s; absent where the tensor cores do not know BF16
 * @param fp16 dense peak in TFLOP/s with FP32 accumulation
 * @param fp8 dense peak in TFLOP/s; absent where the card has no FP8
 * @param memoryGb memory on the label, GB
 * @param memoryMiB memory the driver shows on a healthy card with error correction on
 * @param memoryGbps data sheet memory bandwidth, GB/s
 * @param tdp usual power limit, W
 * @param pcie PCIe generation of the card's 16 lanes; absent where it has another link to the host
 * @param nvlinks active NVLinks of each GPU on a board or NVSwitch machine; absent where the model says nothing
 * @param switched whether the GPUs of a machine meet in an NVSwitch or a full mesh
 * @param ecc whether error correction is on as delivered
 * @param geforce whether it is a consumer card
 * @param modified whether third parties changed it, so that no maker's warranty covers it
 * @param source letters of the source list in {@code gpus.yaml}
 * @param aliases other names, the driver's own among them
 */
public record GpuModel(
        String name,
        String vendor,
        List<String> pciIds,
        OptionalInt sm,
        Optional<String> capability,
        OptionalDouble fp32,
        OptionalDouble tf32,
        OptionalDouble bf16,
        OptionalDouble fp16,
        OptionalDouble fp8,
        int memoryGb,
        OptionalInt memoryMiB,
        OptionalInt memoryGbps,
        OptionalInt tdp,
        OptionalInt pcie,
        OptionalInt nvlinks,
        boolean switched,
        boolean ecc,
        boolean geforce,
        boolean modified,
        String source,
        List<String> aliases) {
    /** PCI vendor id of NVIDIA. */
    public static final String NVIDIA = "10de";

    public GpuModel {
        pciIds = List.copyOf(pciIds);
        aliases = List.copyOf(aliases);
    }

    /** Dense peak of a data type in TFLOP/s; empty for a type the card or the data sheet does not know. */
    public OptionalDouble peak(String dtype) {
        return switch (dtype) {
            case "fp32" -> fp32;
            case "tf32" -> tf32;
            case "bf16" -> bf16;
            case "fp16" -> fp16;
            case "fp8" -> fp8;
            default -> OptionalDouble.empty();
        };
    }
}
