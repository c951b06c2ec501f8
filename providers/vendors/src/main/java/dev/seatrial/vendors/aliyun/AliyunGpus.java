package dev.seatrial.vendors.aliyun;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Which card of the catalogue an instance type has. The vendor tells the chip ({@code GPUSpec}) and nothing of the form factor,
 * which follows from the family. Families are from the vendor's list of GPU-accelerated types; all unverified, which is
 * why both must agree and anything else keeps the vendor's words.
 */
final class AliyunGpus {
    /**
     * @param family of the type's name, between the first two dots or up to a dash
     * @param chip what the vendor's words must hold
     * @param gpu of the catalogue
     */
    private record Family(String family, String chip, String gpu) {}

    private static final List<Family> FAMILIES = List.of(
            new Family("gn7e", "A100", "A100-SXM4-80G"),
            new Family("ebmgn7e", "A100", "A100-SXM4-80G"),
            new Family("ebmgn7ex", "A100", "A100-SXM4-80G"),
            new Family("gn7", "A100", "A100-SXM4-40G"),
            new Family("ebmgn7", "A100", "A100-SXM4-40G"),
            new Family("gn6e", "V100", "V100-SXM2-32G"),
            new Family("ebmgn6e", "V100", "V100-SXM2-32G"),
            new Family("gn6v", "V100", "V100-SXM2-16G"),
            new Family("ebmgn6v", "V100", "V100-SXM2-16G"));

    /** Chips that are made in one form factor and size. */
    private static final List<String> ALONE = List.of("A10", "A30", "T4", "L4", "L20", "L40", "L40S");

    private AliyunGpus() {}

    /**
     * @param type e.g. {@code ecs.gn7e-c16g1.4xlarge}
     * @param spec e.g. {@code NVIDIA A100}
     * @return a name of the catalogue, or the vendor's words
     */
    static String gpu(String type, String spec) {
        String family = family(type);
        String words = spec.strip().toUpperCase(Locale.ROOT).replaceFirst("^NVIDIA ", "");
        return FAMILIES.stream()
                .filter(f -> f.family().equals(family))
                .filter(f -> words.equals(f.chip()) || words.startsWith(f.chip() + " "))
                .map(Family::gpu)
                .findFirst()
                .or(() -> whole(family) && ALONE.contains(words) ? Optional.of(words) : Optional.empty())
                .orElse(spec.isBlank() ? type : spec.strip());
    }

    /** Families that begin so rent out parts of a card. */
    private static boolean whole(String family) {
        return !family.startsWith("vgn") && !family.startsWith("sgn");
    }

    private static String family(String type) {
        String rest = type.startsWith("ecs.") ? type.substring(4) : type;
        return rest.split("[.-]", 2)[0];
    }
}
