package dev.seatrial.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The GPUs known by name and by PCI id. Immutable. */
public final class GpuCatalogue {
    private static final int MOST_SUGGESTIONS = 3;

    private final Map<String, GpuModel> byKey = new LinkedHashMap<>();
    private final Map<String, List<GpuModel>> byPci = new HashMap<>();
    private final List<GpuModel> models;

    private GpuCatalogue(List<GpuModel> models) {
        this.models = List.copyOf(models);
        for (GpuModel model : models) {
            register(model.name(), model);
            for (String id : model.pciIds()) {
                byPci.computeIfAbsent(model.vendor() + ":" + id, key -> new ArrayList<>())
                        .add(model);
            }
        }
        // Names first: an alias never hides another model's own name.
        for (GpuModel model : models) {
            model.aliases().forEach(alias -> byKey.putIfAbsent(key(alias), model));
        }
    }

    /** The catalogue with the user's own entries over it. */
    public static GpuCatalogue load(OwnFiles own) {
        Map<String, GpuModel> merged = new LinkedHashMap<>();
        for (JsonNode file : List.of(Data.resource("gpus.yaml"), own.referencesJson())) {
            file.path("gpus").forEach(node -> merged.put(key(node.path("name").asText()), model(node)));
        }
        return new GpuCatalogue(List.copyOf(merged.values()));
    }

    private void register(String name, GpuModel model) {
        if (byKey.put(key(name), model) != null) {
            throw new IllegalStateException("gpus.yaml names " + name + " twice");
        }
    }

    /**
     * The catalogue that ships with the program.
     *
     * @throws IllegalStateException when the file is broken, which a build with passing tests rules out
     */
    public static GpuCatalogue load() {
        List<GpuModel> models = new ArrayList<>();
        Data.resource("gpus.yaml").path("gpus").forEach(node -> models.add(model(node)));
        return new GpuCatalogue(models);
    }

    /** The model with this name or alias, in any case, with or without dashes, blanks and the maker's name. */
    public Optional<GpuModel> find(String name) {
        return Optional.ofNullable(byKey.get(key(name)));
    }

    public boolean isKnown(String name) {
        return find(name).isPresent();
    }

    /**
     * The model with this PCI device id; of several that share it the first in the file, which is the maker's own.
     *
     * @param vendor PCI vendor id, four hex digits
     * @param device PCI device id, four hex digits
     */
    public Optional<GpuModel> byPciId(String vendor, String device) {
        return byPci
                .getOrDefault(vendor.toLowerCase(Locale.ROOT) + ":" + device.toLowerCase(Locale.ROOT), List.of())
                .stream()
                .findFirst();
    }

    /** The NVIDIA model with this PCI device id. */
    public Optional<GpuModel> byPciId(String device) {
        return byPciId(GpuModel.NVIDIA, device);
    }

    /** Names a user may have meant, nearest first; at most three, none when nothing is near. */
    public List<String> suggestions(String name) {
        String wanted = key(name);
        if (wanted.isEmpty()) {
            return List.of();
        }
        record Near(String name, int distance) {}
        Map<String, Integer> best = new LinkedHashMap<>();
        byKey.forEach((key, model) -> {
            // A name that starts with what was typed ("A100") is near whatever follows.
            int distance = key.startsWith(wanted) ? 0 : distance(wanted, key);
            best.merge(model.name(), distance, Math::min);
        });
        int limit = Math.max(2, wanted.length() / 3);
        return best.entrySet().stream()
                .map(e -> new Near(e.getKey(), e.getValue()))
                .filter(near -> near.distance() <= limit)
                .sorted(Comparator.comparingInt(Near::distance))
                .limit(MOST_SUGGESTIONS)
                .map(Near::name)
                .toList();
    }

    /** Every model, in the file's order. */
    public List<GpuModel> all() {
        return models;
    }

    /** What is left of a name when case, separators, makers' words and the B of GB are taken away. */
    private static String key(String name) {
        return name.strip()
                .toUpperCase(Locale.ROOT)
                .replaceAll("\\b(NVIDIA|AMD|GEFORCE|TESLA)\\b", "")
                .replaceAll("(?<=\\d) *(GB|GIB)\\b", "G")
                .replaceAll("[^A-Z0-9]", "");
    }

    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= Math.min(a.length(), 64); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j - 1], previous[j]) + 1, previous[j - 1] + change);
            }
            previous = row;
        }
        return previous[b.length()];
    }

    private static GpuModel model(JsonNode node) {
        return new GpuModel(
                node.path("name").asText(),
                node.path("vendor").asText(GpuModel.NVIDIA),
                Data.texts(node.path("pciIds")),
                Data.whole(node, "sm"),
                Data.text(node, "capability"),
                Data.number(node, "fp32"),
                Data.number(node, "tf32"),
                Data.number(node, "bf16"),
                node.has("fp16") ? Data.number(node, "fp16") : Data.number(node, "bf16"),
                Data.number(node, "fp8"),
                node.path("memoryGb").asInt(),
                Data.whole(node, "memoryMiB"),
                Data.whole(node, "memoryGbps"),
                Data.whole(node, "tdp"),
                Data.whole(node, "pcie"),
                Data.whole(node, "nvlinks"),
                node.path("switched").asBoolean(),
                node.path("ecc").asBoolean(),
                node.path("geforce").asBoolean(),
                node.path("modified").asBoolean(),
                node.path("source").asText(),
                Data.texts(node.path("aliases")));
    }
}
