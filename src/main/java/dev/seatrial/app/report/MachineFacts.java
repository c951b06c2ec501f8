package dev.seatrial.app.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.domain.ledger.StoredEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a machine said it is: the facts of its environment stage. Whatever a machine did not say is missing.
 *
 * @param values text by fact key of the message bundles, hostile
 * @param gpus GPUs the machine has, 0 when it did not say
 */
record MachineFacts(Map<String, String> values, int gpus) {
    static final MachineFacts NONE = new MachineFacts(Map.of(), 0);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Facts in the order in which they are shown. */
    static final List<String> KEYS = List.of(
            "gpu",
            "pci",
            "sms",
            "gpuMemory",
            "nvlinks",
            "driver",
            "cuda",
            "torch",
            "nccl",
            "cpu",
            "memory",
            "kind",
            "os");

    /** Total: lines that are no facts or not readable are left out. */
    static MachineFacts of(List<StoredEvent> events) {
        Map<String, JsonNode> facts = new HashMap<>();
        for (StoredEvent event : events) {
            try {
                JsonNode line = JSON.readTree(event.json());
                if (line != null && line.path("type").asText().equals("fact")) {
                    facts.put(line.path("name").asText(), line.path("value"));
                }
            } catch (JsonProcessingException unreadable) {
                // A line that is no JSON states no fact.
                continue;
            }
        }
        return of(facts);
    }

    private static MachineFacts of(Map<String, JsonNode> facts) {
        JsonNode none = JSON.missingNode();
        JsonNode gpus = facts.getOrDefault("gpus", none);
        JsonNode gpu = gpus.path(0);
        JsonNode software = facts.getOrDefault("software", none);
        JsonNode host = facts.getOrDefault("host", none);
        Map<String, String> values = new LinkedHashMap<>();
        put(values, "gpu", gpu.path("name"), gpus.size() > 1 ? gpus.size() + " × " : "", "");
        put(values, "pci", gpu.path("pciDeviceId"), "", "");
        put(values, "sms", gpu.path("smCount"), "", "");
        put(values, "gpuMemory", gpu.path("memoryMiB"), "", " MiB");
        put(values, "nvlinks", gpu.path("nvlinks"), "", "");
        put(values, "driver", gpu.path("driver").isTextual() ? gpu.path("driver") : software.path("driver"), "", "");
        put(values, "cuda", software.path("torchCuda"), "", "");
        put(values, "torch", software.path("torch"), "", "");
        put(values, "nccl", software.path("nccl"), "", "");
        put(
                values,
                "cpu",
                host.path("cpuModel"),
                host.path("cpusUsable").isNumber() ? host.path("cpusUsable").asText() + " × " : "",
                "");
        put(values, "memory", host.path("memoryMiB"), "", " MiB");
        put(
                values,
                "kind",
                text(host.path("container")).isEmpty() ? host.path("virtualization") : host.path("container"),
                "",
                "");
        put(values, "os", host.path("os"), "", "");
        return new MachineFacts(values, gpus.isArray() ? gpus.size() : 0);
    }

    private static void put(Map<String, String> values, String key, JsonNode value, String before, String after) {
        String text = text(value);
        if (!text.isEmpty()) {
            values.put(key, before + text + after);
        }
    }

    private static String text(JsonNode value) {
        if (value.isTextual() || value.isNumber()) {
            return value.asText();
        }
        if (value.isArray()) {
            List<String> parts = new ArrayList<>();
            value.forEach(v -> parts.add(v.asText()));
            return String.join(".", parts);
        }
        return "";
    }
}
