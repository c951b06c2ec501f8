package dev.seatrial.vendors.tencent;

import java.util.Map;
import java.util.Optional;

/**
 * Which card of the catalogue a family of instances has; the vendor's model names none. The families are those of its list of
 * GPU instances and unverified; all others keep the vendor's words.
 */
final class TencentGpus {
    private static final Map<String, String> FAMILIES = Map.of(
            "GT4", "A100-SXM4-40G",
            "GN10X", "V100-SXM2-32G",
            "GN10Xp", "V100-SXM2-32G",
            "GN7", "T4",
            "PNV4", "A10");

    private TencentGpus() {}

    /**
     * @param family e.g. {@code GN10Xp}
     * @param words the vendor's name of the type
     */
    static String gpu(String family, String words) {
        return Optional.ofNullable(FAMILIES.get(family)).orElse(words.isBlank() ? family : words);
    }
}
