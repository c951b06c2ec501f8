package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.http.Lane;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lists of the vendor, whole or not at all. It pages by offset: when something comes or goes between two pages, an item may be
 * seen twice or not at all. A list whose length changed while it was read is read again.
 */
final class TencentPages {
    /** The most the vendor gives at once; 20 when it is not told. */
    static final int LIMIT = 100;

    private static final int TRIES = 4;
    private static final int MOST_PAGES = 2000;

    private TencentPages() {}

    static List<JsonNode> all(
            TencentApi api, Lane lane, String region, String action, ObjectNode parameters, String list, String id) {
        for (int i = 0; i < TRIES; i++) {
            Optional<List<JsonNode>> whole = once(api, lane, region, action, parameters, list, id);
            if (whole.isPresent()) {
                return whole.get();
            }
        }
        throw new ProviderException(
                ErrorKind.VENDOR_UNAVAILABLE, action + ": the list changed each time while it was read");
    }

    private static Optional<List<JsonNode>> once(
            TencentApi api, Lane lane, String region, String action, ObjectNode parameters, String list, String id) {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        int total = -1;
        int seen = 0;
        for (int page = 0; page < MOST_PAGES; page++) {
            ObjectNode query = parameters.deepCopy().put("Offset", seen).put("Limit", LIMIT);
            JsonNode document = api.read(lane, region, action, query);
            JsonNode items = items(document, list);
            JsonNode count = document.path("TotalCount");
            if (!count.isIntegralNumber() || count.asInt(-1) < 0) {
                throw TencentMapper.odd("a list without its length (" + action + ")");
            }
            if (total >= 0 && total != count.asInt()) {
                return Optional.empty();
            }
            total = count.asInt();
            for (JsonNode item : items) {
                all.put(TencentMapper.text(item.path(id)), item);
            }
            seen += items.size();
            if (seen >= total) {
                return all.size() == total ? Optional.of(new ArrayList<>(all.values())) : Optional.empty();
            }
            if (items.isEmpty()) {
                throw TencentMapper.odd("a list that breaks off (" + action + ")");
            }
        }
        throw TencentMapper.odd("a list that never ends (" + action + ")");
    }

    /** The list in a document. */
    static JsonNode items(JsonNode document, String list) {
        JsonNode items = document.path(list);
        if (!items.isArray()) {
            throw TencentMapper.odd("no list of " + list);
        }
        return items;
    }
}
