package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.vendors.http.Lane;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lists of the vendor, whole or not at all. It pages in two ways. */
final class AliyunPages {
    private static final int MOST_PAGES = 2000;

    private AliyunPages() {}

    /** By {@code NextToken}, which is missing or empty on the last page. */
    static List<JsonNode> byToken(
            AliyunApi api,
            Lane lane,
            String action,
            Map<String, String> parameters,
            int size,
            String outer,
            String inner) {
        List<JsonNode> all = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Map<String, String> query = new LinkedHashMap<>(parameters);
        query.put("MaxResults", String.valueOf(size));
        for (int pages = 0; pages < MOST_PAGES; pages++) {
            JsonNode document = api.read(lane, action, query);
            items(document, outer, inner).forEach(all::add);
            JsonNode next = document.path("NextToken");
            if (next.isMissingNode()
                    || next.isNull()
                    || next.isTextual() && next.asText().isEmpty()) {
                return all;
            }
            if (!next.isTextual() || !seen.add(next.asText())) {
                throw AliyunMapper.odd("a list that does not say whether there is more (" + action + ")");
            }
            query.put("NextToken", next.asText());
        }
        throw AliyunMapper.odd("a list that never ends (" + action + ")");
    }

    /** By {@code PageNumber} until {@code TotalCount} are there. */
    static List<JsonNode> numbered(
            AliyunApi api,
            Lane lane,
            String action,
            Map<String, String> parameters,
            int size,
            String outer,
            String inner) {
        List<JsonNode> all = new ArrayList<>();
        Map<String, String> query = new LinkedHashMap<>(parameters);
        query.put("PageSize", String.valueOf(size));
        for (int page = 1; page <= MOST_PAGES; page++) {
            query.put("PageNumber", String.valueOf(page));
            JsonNode document = api.read(lane, action, query);
            JsonNode items = items(document, outer, inner);
            items.forEach(all::add);
            if (!document.path("TotalCount").canConvertToInt()) {
                throw AliyunMapper.odd("a list without its length (" + action + ")");
            }
            if (all.size() >= document.path("TotalCount").asInt()) {
                return all;
            }
            if (items.isEmpty()) {
                throw AliyunMapper.odd("a list that breaks off (" + action + ")");
            }
        }
        throw AliyunMapper.odd("a list that never ends (" + action + ")");
    }

    static JsonNode items(JsonNode document, String outer, String inner) {
        JsonNode items = document.path(outer).path(inner);
        if (!items.isArray()) {
            throw AliyunMapper.odd("no list of " + outer);
        }
        return items;
    }
}
