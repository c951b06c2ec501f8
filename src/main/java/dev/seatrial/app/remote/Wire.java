package dev.seatrial.app.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.ledger.StoredEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lines of the payload's protocol, read from hostile text: whatever is no such line is skipped. */
final class Wire {
    /** The machine's own numbers end below; above are events that the service adds. */
    static final long OWN_SEQ = 1_000_000_000L;

    private static final String PREFIX = "{\"seatrial\":1,";
    private static final int EVENT_CAP = 64 << 10;
    private static final int FIELD_CAP = 8 << 10;

    private final ObjectMapper json = new ObjectMapper();

    ObjectMapper json() {
        return json;
    }

    /** Every protocol line, in order. */
    List<ObjectNode> lines(String text) {
        List<ObjectNode> found = new ArrayList<>();
        text.lines().filter(l -> l.startsWith(PREFIX)).forEach(line -> {
            try {
                if (json.readTree(line) instanceof ObjectNode object) {
                    found.add(object);
                }
            } catch (JsonProcessingException e) {
                // A torn or forged line tells nothing.
                return;
            }
        });
        return found;
    }

    /** The last line of one type. */
    Optional<ObjectNode> last(String text, String type) {
        return lines(text).stream()
                .filter(l -> l.path("type").asText().equals(type))
                .reduce((a, b) -> b);
    }

    /** The line as an event to store; empty when it is none. Events beyond 64 KiB lose their longest fields. */
    Optional<StoredEvent> event(ObjectNode line) {
        JsonNode seq = line.path("seq");
        if (!seq.canConvertToLong()
                || seq.asLong() < 1
                || seq.asLong() >= OWN_SEQ
                || !line.path("type").isTextual()) {
            return Optional.empty();
        }
        String text = line.toString();
        if (text.getBytes(StandardCharsets.UTF_8).length > EVENT_CAP) {
            ObjectNode shorter = json.createObjectNode();
            line.properties().forEach(field -> {
                if (field.getValue().toString().length() <= FIELD_CAP && shorter.size() < 32) {
                    shorter.set(field.getKey(), field.getValue());
                }
            });
            text = shorter.put("shortened", true).toString();
            if (text.getBytes(StandardCharsets.UTF_8).length > EVENT_CAP) {
                return Optional.empty();
            }
        }
        return Optional.of(new StoredEvent(seq.asLong(), text));
    }
}
