package dev.seatrial.simulator;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.cloud.FaultRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Finds and reads profiles. A profile states only what differs from the one it {@code extends} ({@code steady} unless it
 * says otherwise): objects are merged by key, everything else replaces.
 */
public final class Profiles {
    /** Those that ship. */
    public static final List<String> BUILT_IN = List.of("steady", "discount", "flaky");

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,40}");
    private static final long LARGEST_FILE = 1_000_000;
    private static final String BASE = "base";
    private static final String STAGE = """
            {"seconds": 2, "asSpecified": false, "hangs": false, "status": "ok", "why": "", "taskMetric": 1,
             "measurements": {}, "findings": []}""";
    private static final String FIGURE = """
            {"name": "", "unit": "", "byGpus": {}, "spread": 0.004, "perGpu": false, "least": 0, "most": 1024,
             "tool": "payload", "toolVersion": "simulated", "method": "", "attrs": {}}""";
    private static final ObjectMapper JSON = mapper();

    private Profiles() {}

    /** A profile that cannot be used; the message says what and where. */
    public static final class ProfileException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public ProfileException(String message) {
            super(message);
        }
    }

    /**
     * A built-in profile by name, else a file.
     *
     * @throws ProfileException when there is none or it cannot be used
     */
    public static Profile load(String nameOrFile) {
        if (BUILT_IN.contains(nameOrFile)) {
            return parse(builtIn(nameOrFile), nameOrFile);
        }
        Path file = Path.of(nameOrFile);
        if (!Files.isRegularFile(file)) {
            throw new ProfileException(
                    "no such profile: '" + nameOrFile + "' is neither one of " + BUILT_IN + " nor a file");
        }
        try {
            if (Files.size(file) > LARGEST_FILE) {
                throw new ProfileException(nameOrFile + ": larger than " + LARGEST_FILE + " bytes");
            }
            return parse(Files.readString(file), nameOrFile);
        } catch (IOException e) {
            throw new ProfileException(nameOrFile + ": cannot be read: " + e.getMessage());
        }
    }

    /**
     * Reads a profile from text.
     *
     * @param origin named in messages
     */
    public static Profile parse(String text, String origin) {
        try {
            ObjectNode whole = resolve(tree(text, origin), origin, 0);
            completeStages(whole);
            Profile profile = JSON.treeToValue(whole, Profile.class);
            profile.offers().forEach(Profile.OfferSpec::stepSeconds);
            return profile;
        } catch (JsonProcessingException e) {
            throw new ProfileException(origin + ": " + path(e) + e.getOriginalMessage());
        } catch (IllegalArgumentException e) {
            throw new ProfileException(origin + ": " + e.getMessage());
        }
    }

    private static ObjectNode resolve(ObjectNode node, String origin, int depth) throws JsonProcessingException {
        String parent =
                node.path("extends").asText(BASE.equals(origin) ? "" : "steady".equals(origin) ? BASE : "steady");
        node.remove("extends");
        if (parent.isEmpty()) {
            return node;
        }
        if (depth > 3 || !NAME.matcher(parent).matches() || !(BUILT_IN.contains(parent) || parent.equals(BASE))) {
            throw new ProfileException(origin + ": 'extends' must be one of " + BUILT_IN + ", not '" + parent + "'");
        }
        return merge(resolve(tree(builtIn(parent), parent), parent, depth + 1), node);
    }

    /** Most stages and figures state only a few of their properties. */
    private static void completeStages(ObjectNode profile) throws JsonProcessingException {
        if (!(profile.get("stages") instanceof ObjectNode stages)) {
            return;
        }
        for (Map.Entry<String, JsonNode> stage : List.copyOf(stages.properties())) {
            if (!(stage.getValue() instanceof ObjectNode stated)) {
                continue;
            }
            ObjectNode complete = merge(tree(STAGE, "stage"), stated);
            stages.set(stage.getKey(), complete);
            if (complete.get("measurements") instanceof ObjectNode figures) {
                for (Map.Entry<String, JsonNode> figure : List.copyOf(figures.properties())) {
                    if (figure.getValue() instanceof ObjectNode own) {
                        figures.set(figure.getKey(), merge(tree(FIGURE, "figure"), own));
                    }
                }
            }
        }
    }

    private static ObjectNode merge(ObjectNode under, ObjectNode over) {
        over.properties().forEach(field -> {
            JsonNode below = under.get(field.getKey());
            if (below instanceof ObjectNode a && field.getValue() instanceof ObjectNode b) {
                merge(a, b);
            } else {
                under.set(field.getKey(), field.getValue());
            }
        });
        return under;
    }

    private static ObjectNode tree(String text, String origin) throws JsonProcessingException {
        if (JSON.readTree(text) instanceof ObjectNode object) {
            return object;
        }
        throw new ProfileException(origin + ": a profile is a JSON object");
    }

    private static String builtIn(String name) {
        try (InputStream in =
                Profiles.class.getResourceAsStream("/dev/seatrial/simulator/profiles/" + name + ".json")) {
            if (in == null) {
                throw new ProfileException("profile " + name + " is missing from this build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ProfileException("profile " + name + " cannot be read: " + e.getMessage());
        }
    }

    private static String path(JsonProcessingException e) {
        StringBuilder at = new StringBuilder();
        if (e instanceof JsonMappingException mapping) {
            mapping.getPath()
                    .forEach(part -> at.append(
                            part.getFieldName() == null
                                    ? "[" + part.getIndex() + "]"
                                    : (at.length() == 0 ? "" : ".") + part.getFieldName()));
        } else if (e.getLocation() != null) {
            at.append("line ")
                    .append(e.getLocation().getLineNr())
                    .append(", column ")
                    .append(e.getLocation().getColumnNr());
        }
        return at.length() == 0 ? "" : at + ": ";
    }

    private static ObjectMapper mapper() {
        SimpleModule module = new SimpleModule();
        module.addDeserializer(FaultRule.class, new JsonDeserializer<>() {
            @Override
            public FaultRule deserialize(JsonParser parser, DeserializationContext context) throws IOException {
                JsonNode node = context.readTree(parser);
                try {
                    return FaultRule.read(node);
                } catch (IllegalArgumentException e) {
                    throw JsonMappingException.from(parser, e.getMessage());
                }
            }
        });
        return JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .addModule(module)
                .build();
    }
}
