package dev.seatrial.app.remote;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.ledger.StoredEvent;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

/** Events that the service itself adds to a stage, in the payload's form, numbered above the machine's own. */
final class OwnEvents {
    private final ObjectMapper json;

    OwnEvents(ObjectMapper json) {
        this.json = json;
    }

    /** Fixed numbers make a repeat harmless. */
    enum Slot {
        UPLOAD_RATE,
        DOWNLOAD_RATE,
        FILES_RATE,
        FILES_FINDING,
        TRANSFER_FINDING,
        END;

        long seq() {
            return Wire.OWN_SEQ + ordinal();
        }
    }

    StoredEvent rate(Slot slot, Instant at, String name, Transfer.Rate rate, String tool) {
        ObjectNode event = base(slot, at, "measurement")
                .put("name", name)
                .put("unit", "MB/s")
                .put("value", rate.megabytesPerSecond())
                .put("tool", tool)
                .put("toolVersion", "")
                .put("method", "transfer/1")
                .put("confidence", rate.seconds() >= 0.5 ? "normal" : "low");
        event.putNull("gpu");
        ArrayNode samples = event.putArray("samples");
        rate.samples().forEach(samples::add);
        spread(event, rate.samples());
        event.putObject("attrs")
                .put("from", "this service")
                .put("bytes", rate.bytes())
                .put("seconds", rate.seconds());
        return new StoredEvent(slot.seq(), event.toString());
    }

    StoredEvent finding(
            Slot slot,
            Instant at,
            String code,
            String severity,
            String owner,
            String message,
            String why,
            String next) {
        ObjectNode event = base(slot, at, "finding")
                .put("code", code)
                .put("severity", severity)
                .put("owner", owner)
                .put("message", message)
                .put("evidence", Text.line(why, 1500))
                .put("next", next);
        event.putObject("params").put("why", Text.line(why, 300));
        return new StoredEvent(slot.seq(), event.toString());
    }

    StoredEvent end(Instant at, String status, String why) {
        return new StoredEvent(
                Slot.END.seq(),
                base(Slot.END, at, "end")
                        .put("status", status)
                        .put("why", Text.line(why, 500))
                        .toString());
    }

    private ObjectNode base(Slot slot, Instant at, String type) {
        return json.createObjectNode()
                .put("seatrial", 1)
                .put("seq", slot.seq())
                .put("at", at.toString())
                .put("type", type);
    }

    private static void spread(ObjectNode event, List<Double> samples) {
        event.put("n", Math.max(1, samples.size()));
        if (samples.isEmpty()) {
            return;
        }
        double mean =
                samples.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        double variance = samples.stream()
                .mapToDouble(s -> (s - mean) * (s - mean))
                .average()
                .orElse(0);
        event.put("min", Collections.min(samples)).put("max", Collections.max(samples));
        if (mean > 0) {
            event.put("cv", Math.sqrt(variance) / mean);
        }
    }
}
