package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Whether the cards are what was offered, whole, healthy and alone. Identity before speed. */
final class IdentityRules {
    private static final Pattern VIRTUAL =
            Pattern.compile("(?i)\\bGRID\\b|\\b[A-Z]{1,3}\\d{1,4}[A-Z]?-\\d{1,3}[QCAB]\\b");
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{4}");
    private static final int MOST_GPUS = 64;

    private final GpuCatalogue catalogue;
    private final Policy policy;

    IdentityRules(GpuCatalogue catalogue, Policy policy) {
        this.catalogue = catalogue;
        this.policy = policy;
    }

    /** Findings of the environment stage; the machine's own findings are not repeated. */
    List<Finding> check(Case c) {
        List<Finding> found = new ArrayList<>();
        JsonNode host = c.evidence().fact("host");
        if (!c.wantsGpu()) {
            if (host.isObject()) {
                found.add(Findings.of(
                        "HOST_KNOWN",
                        Severity.INFO,
                        Owner.UNKNOWN,
                        "cpus",
                        text(host, "cpusUsable", text(host, "cpus", "?")),
                        "memoryGiB",
                        gib(host)));
            }
            return found;
        }
        JsonNode gpus = c.evidence().fact("gpus");
        if (!gpus.isArray() || gpus.isEmpty()) {
            if (gpus.isArray() && !c.evidence().has("NO_GPU")) {
                found.add(Findings.of(
                        "NO_GPU",
                        Severity.FAIL,
                        Owner.VENDOR,
                        "expected",
                        Integer.toString(c.run().gpus())));
            }
            return found;
        }
        int expected = Math.max(1, c.run().gpus());
        if (gpus.size() < expected && !c.evidence().has("GPU_COUNT_MISMATCH")) {
            found.add(Findings.of(
                    "GPU_COUNT_MISMATCH",
                    Severity.FAIL,
                    Owner.VENDOR,
                    "expected",
                    Integer.toString(expected),
                    "found",
                    Integer.toString(gpus.size())));
        }
        if (c.model().isEmpty()) {
            found.add(Findings.of(
                    "UNKNOWN_GPU",
                    Severity.WARN,
                    Owner.OURS,
                    "gpu",
                    c.candidate().gpu()));
        }
        boolean confirmed = c.model().isPresent();
        for (int i = 0; i < Math.min(gpus.size(), MOST_GPUS); i++) {
            int before = found.size();
            // A slice is told first: what follows from it (less memory, fewer SMs) is no fault of its own.
            boolean sliced = whole(c, gpus.get(i), found);
            if (c.model().isPresent()) {
                confirmed &= identity(c.model().get(), gpus.get(i), sliced, found);
            }
            condition(c, gpus.get(i), found);
            confirmed &= found.subList(before, found.size()).stream()
                    .noneMatch(f -> policy.isIdentity(f.code()) && f.severity() != Severity.INFO);
        }
        if (confirmed) {
            JsonNode first = gpus.get(0);
            found.add(Findings.of(
                    "IDENTITY_CONFIRMED",
                    Severity.INFO,
                    Owner.VENDOR,
                    "count",
                    Integer.toString(gpus.size()),
                    "gpu",
                    c.model().get().name(),
                    "id",
                    text(first, "pciDeviceId", "?"),
                    "sm",
                    text(first, "smCount", "?"),
                    "memoryMiB",
                    text(first, "memoryMiB", "?")));
        }
        return found;
    }

    /** Whether the card is positively the model offered; what speaks against it goes into the list. */
    private boolean identity(GpuModel model, JsonNode gpu, boolean sliced, List<Finding> found) {
        String name = text(gpu, "name", "");
        String label = label(gpu);
        String id = text(gpu, "pciDeviceId", "").toLowerCase(Locale.ROOT);
        String vendor = text(gpu, "pciVendorId", GpuModel.NVIDIA).toLowerCase(Locale.ROOT);
        OptionalInt sm = Data.whole(gpu, "smCount");
        boolean smFits = sm.isEmpty()
                || model.sm().isEmpty()
                || sm.getAsInt() == model.sm().getAsInt();
        if (HEX.matcher(id).matches()) {
            if (vendor.equals(model.vendor()) && model.pciIds().contains(id)) {
                if (!smFits && !sliced) {
                    found.add(Findings.of(
                            "GPU_SM_MISMATCH",
                            Severity.FAIL,
                            Owner.VENDOR,
                            "gpu",
                            label,
                            "offered",
                            model.name(),
                            "expected",
                            Integer.toString(model.sm().orElse(0)),
                            "found",
                            Integer.toString(sm.orElse(0))));
                    return false;
                }
                memory(model, gpu, label, sliced, found);
                return true;
            }
            Optional<GpuModel> other = catalogue.byPciId(vendor, id);
            if (other.isPresent()) {
                mismatch(model, label, other.get().name(), id, found);
                return false;
            }
        }
        Optional<GpuModel> named = catalogue.find(name);
        if (named.isPresent() && !named.get().name().equals(model.name())) {
            mismatch(model, label, named.get().name(), id.isEmpty() ? "?" : id, found);
            return false;
        }
        if (!smFits && !sliced) {
            mismatch(model, label, name.isEmpty() ? "?" : name, id.isEmpty() ? "?" : id, found);
            return false;
        }
        memory(model, gpu, label, sliced, found);
        if (named.isPresent() && sm.isPresent() && model.sm().isPresent()) {
            found.add(Findings.of(
                    "GPU_ID_UNLISTED",
                    Severity.WARN,
                    Owner.UNKNOWN,
                    "gpu",
                    label,
                    "offered",
                    model.name(),
                    "id",
                    id.isEmpty() ? "?" : id));
            return false;
        }
        found.add(Findings.of(
                "IDENTITY_UNTOLD",
                Severity.WARN,
                Owner.UNKNOWN,
                "gpu",
                label,
                "offered",
                model.name(),
                "name",
                name.isEmpty() ? "?" : name));
        return false;
    }

    private static void mismatch(GpuModel model, String label, String is, String id, List<Finding> found) {
        found.add(Findings.of(
                "GPU_IDENTITY",
                Severity.FAIL,
                Owner.VENDOR,
                "gpu",
                label,
                "offered",
                model.name(),
                "found",
                is,
                "id",
                id));
    }

    private void memory(GpuModel model, JsonNode gpu, String label, boolean sliced, List<Finding> found) {
        OptionalDouble shown = Data.number(gpu, "memoryMiB");
        if (shown.isEmpty() || model.memoryMiB().isEmpty()) {
            return;
        }
        double share = shown.getAsDouble() / model.memoryMiB().getAsInt();
        if (share < policy.threshold("identity", "memoryShare") && !sliced) {
            found.add(memoryFinding("GPU_MEMORY_SHORT", Severity.FAIL, model, label, shown.getAsDouble()));
        } else if (shown.getAsDouble() > policy.threshold("identity", "memoryAbove") * model.memoryGb() * 1024) {
            found.add(memoryFinding("GPU_MEMORY_NOT_VENDOR", Severity.WARN, model, label, shown.getAsDouble()));
        }
    }

    private static Finding memoryFinding(String code, Severity severity, GpuModel model, String label, double shown) {
        return Findings.of(
                code,
                severity,
                Owner.VENDOR,
                "gpu",
                label,
                "offered",
                model.name(),
                "expectedMiB",
                Integer.toString(model.memoryMiB().orElse(0)),
                "foundMiB",
                Words.number(shown));
    }

    /** Whether the card is a slice or a share of one. */
    private boolean whole(Case c, JsonNode gpu, List<Finding> found) {
        String label = label(gpu);
        int before = found.size();
        Severity weight = disclosed(c) ? Severity.INFO : Severity.FAIL;
        if (Data.flag(gpu, "mig").orElse(false) || text(gpu, "mig", "").equalsIgnoreCase("enabled")) {
            add(c, found, Findings.of("MIG_SLICE", weight, Owner.VENDOR, "gpu", label));
        }
        String mode = text(gpu, "virtualization", "").toUpperCase(Locale.ROOT);
        if ((mode.contains("VGPU") && !mode.contains("HOST"))
                || VIRTUAL.matcher(text(gpu, "name", "")).find()) {
            add(c, found, Findings.of("VGPU", weight, Owner.VENDOR, "gpu", label, "name", text(gpu, "name", "")));
        }
        OptionalDouble total = Data.number(gpu, "memoryMiB");
        OptionalDouble usable = Data.number(gpu, "cudaMemoryMiB");
        if (total.isPresent()
                && usable.isPresent()
                && usable.getAsDouble() < policy.threshold("identity", "softSliceShare") * total.getAsDouble()
                && !Data.flag(gpu, "mig").orElse(false)) {
            add(
                    c,
                    found,
                    Findings.of(
                            "SOFT_SLICE",
                            weight,
                            Owner.VENDOR,
                            "gpu",
                            label,
                            "usable",
                            Words.number(usable.getAsDouble()),
                            "total",
                            Words.number(total.getAsDouble())));
        }
        return disclosed(c)
                || found.size() > before
                || c.evidence().has("MIG_SLICE")
                || c.evidence().has("VGPU")
                || c.evidence().has("SOFT_SLICE");
    }

    /** Faults and settings of a card, and links between cards. */
    private void condition(Case c, JsonNode gpu, List<Finding> found) {
        String label = label(gpu);
        OptionalDouble busy = Data.number(gpu, "utilization");
        if (busy.isPresent() && busy.getAsDouble() > policy.threshold("identity", "idleUtilization")) {
            add(
                    c,
                    found,
                    Findings.of(
                            "OTHER_TENANT_LOAD",
                            Severity.FAIL,
                            Owner.VENDOR,
                            "gpu",
                            label,
                            "utilization",
                            Words.number(busy.getAsDouble()),
                            "memoryMiB",
                            text(gpu, "memoryUsedMiB", "?")));
        }
        if (Data.flag(gpu, "remapPending").orElse(false)) {
            add(c, found, Findings.of("REMAP_PENDING", Severity.FAIL, Owner.VENDOR, "gpu", label));
        }
        if (Data.flag(gpu, "remapFailure").orElse(false)) {
            add(c, found, Findings.of("REMAP_FAILURE", Severity.FAIL, Owner.VENDOR, "gpu", label));
        }
        String action = text(gpu, "recoveryAction", "None");
        if (!action.equalsIgnoreCase("None") && !action.isBlank()) {
            add(c, found, Findings.of("RECOVERY_ACTION", Severity.FAIL, Owner.VENDOR, "gpu", label, "action", action));
        }
        OptionalDouble limit = Data.number(gpu, "powerLimitW");
        OptionalDouble usual = Data.number(gpu, "powerDefaultW");
        if (limit.isPresent()
                && usual.isPresent()
                && limit.getAsDouble() < policy.threshold("identity", "powerShare") * usual.getAsDouble()) {
            add(
                    c,
                    found,
                    Findings.of(
                            "POWER_CAPPED",
                            Severity.WARN,
                            Owner.VENDOR,
                            "gpu",
                            label,
                            "limitW",
                            Words.number(limit.getAsDouble()),
                            "defaultW",
                            Words.number(usual.getAsDouble())));
        }
        if (text(gpu, "eccMode", "").equalsIgnoreCase("disabled")
                && c.model().map(GpuModel::ecc).orElse(false)) {
            add(c, found, Findings.of("ECC_OFF", Severity.WARN, Owner.VENDOR, "gpu", label));
        }
        width(c, gpu, label, found);
        links(c, gpu, label, found);
    }

    /** In a virtual machine the width shown may be made up, so it warns and the measured copy decides. */
    private void width(Case c, JsonNode gpu, String label, List<Finding> found) {
        OptionalInt now = Data.whole(gpu, "pcieWidth");
        OptionalInt most = Data.whole(gpu, "pcieWidthMax");
        if (now.isPresent()
                && now.getAsInt() > 0
                && now.getAsInt() < 16
                && (most.isEmpty() || now.getAsInt() < most.getAsInt() || most.getAsInt() < 16)
                && c.model().map(m -> m.pcie().isPresent()).orElse(false)) {
            add(
                    c,
                    found,
                    Findings.of(
                            "PCIE_WIDTH",
                            Severity.WARN,
                            Owner.VENDOR,
                            "gpu",
                            label,
                            "width",
                            Integer.toString(now.getAsInt()),
                            "expected",
                            "16"));
        }
    }

    /** A one-GPU machine cut from a board may have its links off by design; among several they must all be up. */
    private void links(Case c, JsonNode gpu, String label, List<Finding> found) {
        OptionalInt links = Data.whole(gpu, "nvlinks");
        if (c.model().isEmpty() || c.model().get().nvlinks().isEmpty() || links.isEmpty()) {
            return;
        }
        int expected = c.model().get().nvlinks().getAsInt();
        if (links.getAsInt() != expected) {
            found.add(Findings.of(
                    c.multi() ? "NVLINK_MISSING" : "NVLINK_OFF_SINGLE",
                    c.multi() ? Severity.FAIL : Severity.INFO,
                    Owner.VENDOR,
                    "gpu",
                    label,
                    "expected",
                    Integer.toString(expected),
                    "found",
                    Integer.toString(links.getAsInt())));
        }
    }

    private static void add(Case c, List<Finding> found, Finding finding) {
        if (!c.evidence().has(finding.code())) {
            found.add(finding);
        }
    }

    /** Whether the user entered that a share of a card is what is sold. */
    static boolean disclosed(Case c) {
        return c.promised("mig").isPresent()
                || c.promised("vgpu").isPresent()
                || c.promised("shared").isPresent();
    }

    private static String gib(JsonNode host) {
        OptionalDouble limit = Data.number(host, "memoryLimitMiB");
        OptionalDouble memory = limit.isPresent() ? limit : Data.number(host, "memoryMiB");
        return memory.isPresent() ? Words.number(memory.getAsDouble() / 1024) : "?";
    }

    private static String label(JsonNode gpu) {
        String uuid = text(gpu, "uuid", "");
        return uuid.isEmpty() ? "GPU " + text(gpu, "index", "?") : uuid;
    }

    private static String text(JsonNode node, String field, String otherwise) {
        String text = Data.text(node, field).orElse(otherwise);
        return text.length() > 100 ? text.substring(0, 100) : text;
    }
}
