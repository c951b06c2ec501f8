package dev.seatrial.simulator.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.Profile;
import dev.seatrial.simulator.cloud.Cloud;
import dev.seatrial.simulator.cloud.FaultBook;
import dev.seatrial.simulator.cloud.FaultRule;
import dev.seatrial.simulator.cloud.FaultRule.Action;
import dev.seatrial.simulator.cloud.FaultRule.Operation;
import dev.seatrial.simulator.cloud.Refusal;
import dev.seatrial.simulator.cloud.SimInstance;
import dev.seatrial.simulator.ssh.SshHosts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** The vendor's API and the control calls, as HTTP. */
public final class VendorApi {
    private static final String JSON_TYPE = "application/json";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Profile profile;
    private final Cloud cloud;
    private final FaultBook faults;
    private final SshHosts hosts;
    private final InstantSource clock;
    private final String apiKey;
    private final Pace pace;
    private final Documents documents;
    private final ObjectMapper json = new ObjectMapper();

    public VendorApi(
            Profile profile, Cloud cloud, FaultBook faults, SshHosts hosts, InstantSource clock, String apiKey) {
        this.profile = profile;
        this.cloud = cloud;
        this.faults = faults;
        this.hosts = hosts;
        this.clock = clock;
        this.apiKey = apiKey;
        this.pace = new Pace(profile.rate(), clock);
        this.documents = new Documents(profile, cloud, hosts);
    }

    /** Serves on this port of loopback; 0 = any free one. */
    public LoopbackServer serve(int port) throws IOException {
        return new LoopbackServer(port, () -> cloud.vendorTime(clock.instant()), this::answer);
    }

    /** The port it got. */
    public static int port(LoopbackServer server) {
        return server.port();
    }

    private Answer answer(Request request) {
        try {
            return request.path().startsWith("/sim/") ? control(request) : vendor(request);
        } catch (Refusal refusal) {
            return refused(refusal);
        } catch (IllegalArgumentException | DateTimeParseException e) {
            return refused(new Refusal(400, "invalid_argument", String.valueOf(e.getMessage())));
        }
    }

    private Answer control(Request request) {
        return switch (request.method() + " " + request.path()) {
            case "GET /sim/meter" -> answer(200, Documents.meter(cloud.meter()));
            case "POST /sim/faults" -> {
                JsonNode body = body(request);
                List<FaultRule> rules = new ArrayList<>();
                (body.isArray() ? body : NODES.arrayNode().add(body)).forEach(rule -> rules.add(FaultRule.read(rule)));
                rules.forEach(faults::add);
                yield answer(201, NODES.objectNode().put("installed", rules.size()));
            }
            case "DELETE /sim/faults" -> {
                faults.clear();
                yield answer(200, NODES.objectNode().put("installed", 0));
            }
            default -> throw unknownCall(request);
        };
    }

    private Answer vendor(Request request) {
        hosts.shutGone();
        OptionalLong wait = pace.tooFast();
        if (wait.isPresent()) {
            OptionalLong told = profile.rate().retryAfter() ? wait : OptionalLong.empty();
            throw new Refusal(429, "rate_limited", "Too many requests.", told);
        }
        if (!("Bearer " + apiKey).equals(request.headers().getOrDefault("authorization", ""))) {
            throw new Refusal(401, "unauthorized", "The API key is missing or wrong.");
        }
        String[] path = request.path().substring(1).split("/");
        String route = request.method() + " " + (path.length > 1 ? path[1] : "") + (path.length > 2 ? "/{id}" : "")
                + (path.length > 3 ? "/" + path[3] : "");
        String id = path.length > 2 ? path[2] : "";
        if (!path[0].equals("v1") || path.length > 4) {
            throw unknownCall(request);
        }
        return switch (route) {
            case "GET account" -> read(Operation.ACCOUNT, "", meeting -> documents.account());
            case "GET offers" -> read(Operation.OFFERS, "", meeting -> documents.offers());
            case "GET images" -> read(Operation.IMAGES, "", meeting -> documents.images());
            case "POST keys" -> addKey(request);
            case "GET keys" -> read(Operation.KEYS, "", meeting -> documents.keys(cloud.keys()));
            case "DELETE keys/{id}" ->
                write(Operation.KEYS, id, (at, meeting) -> {
                    cloud.deleteKey(id);
                    return answer(200, NODES.objectNode().put("deleted", id));
                });
            case "POST instances" -> create(request);
            case "GET instances" ->
                read(Operation.LIST, "", meeting -> list(request.query().getOrDefault("cursor", ""), meeting));
            case "GET instances/{id}" ->
                read(Operation.GET, cloud.subject(id), meeting -> documents.instance(cloud.get(id), meeting));
            case "DELETE instances/{id}" ->
                write(Operation.RELEASE, cloud.subject(id), (at, meeting) -> {
                    cloud.release(id, at, meeting);
                    return answer(
                            202, NODES.objectNode().put("id", id).put("state", SimInstance.Phase.DELETING.word()));
                });
            case "PUT instances/{id}/deadline" ->
                write(Operation.DEADLINE, cloud.subject(id), (at, meeting) -> {
                    Instant armed = cloud.deadline(
                            id, Instant.parse(body(request).path("deleteAt").asText()));
                    return answer(200, NODES.objectNode().put("id", id).put("deleteAt", armed.toString()));
                });
            case "GET balance" ->
                read(Operation.BALANCE, "", meeting -> {
                    var left = cloud.balance();
                    return NODES.objectNode()
                            .put("balance", left.getAmount().toPlainString())
                            .put("currency", profile.currency());
                });
            case "GET instances/{id}/cost" ->
                read(Operation.COST, cloud.subject(id), meeting -> {
                    Cloud.Bill bill = cloud.cost(id);
                    return NODES.objectNode()
                            .put("id", id)
                            .put("amount", bill.amount().getAmount().toPlainString())
                            .put("currency", profile.currency())
                            .put("complete", bill.complete());
                });
            default -> throw unknownCall(request);
        };
    }

    private interface Read {
        ObjectNode of(FaultBook.Meeting meeting);
    }

    private interface Write {
        Answer at(Instant at, FaultBook.Meeting meeting);
    }

    private Answer read(Operation operation, String subject, Read work) {
        FaultBook.Meeting meeting = meet(operation, subject);
        if (meeting.spoiler().isEmpty()) {
            return answer(200, work.of(meeting));
        }
        return Spoiling.spoil(meeting.spoiler().get(), orRefused(() -> answer(200, work.of(meeting))), "");
    }

    private Answer write(Operation operation, String subject, Write work) {
        FaultBook.Meeting meeting = meet(operation, subject);
        Instant now = clock.instant();
        if (meeting.spoiler().isEmpty()) {
            return work.at(now, meeting);
        }
        FaultRule rule = meeting.spoiler().get();
        Answer honest =
                switch (rule.effect()) {
                    case NONE -> Spoiling.pretended(operation);
                    case BEFORE -> orRefused(() -> work.at(now, meeting));
                    case AFTER -> orRefused(() -> work.at(now.plus(rule.span()), meeting));
                };
        String id = rule.withId() && honest.status() == 201
                ? tree(honest).path("id").asText()
                : "";
        return Spoiling.spoil(rule, honest, id);
    }

    private FaultBook.Meeting meet(Operation operation, String subject) {
        FaultBook.Meeting meeting = faults.meet(operation, subject);
        meeting.changes().stream()
                .filter(rule -> rule.action() == Action.VANISH)
                .forEach(rule -> cloud.vanish(rule.match()));
        pause(meeting.delay());
        return meeting;
    }

    private static void pause(Duration delay) {
        try {
            Thread.sleep(delay.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Answer orRefused(Supplier<Answer> work) {
        try {
            return work.get();
        } catch (Refusal refusal) {
            return refused(refusal);
        }
    }

    private Answer addKey(Request request) {
        JsonNode body = body(request);
        return write(
                Operation.KEYS,
                body.path("name").asText(),
                (at, meeting) -> answer(
                        201,
                        Documents.key(cloud.addKey(
                                body.path("name").asText(),
                                body.path("publicKey").asText()))));
    }

    private Answer create(Request request) {
        JsonNode body = body(request);
        String name = body.path("name").asText();
        if (!name.matches("[a-z0-9-]{1,60}")) {
            throw new Refusal(400, "invalid_argument", "name must be 1 to 60 of [a-z0-9-].");
        }
        String image = body.path("image").asText("");
        Cloud.CreateOrder order = new Cloud.CreateOrder(
                name,
                body.path("token").asText(""),
                body.path("offer").asText(),
                image.isEmpty() ? profile.images().get(0).id() : image,
                body.path("keyId").asText(),
                body.path("userData").asText(""),
                body.hasNonNull("deleteAt")
                        ? Optional.of(Instant.parse(body.path("deleteAt").asText()))
                        : Optional.empty());
        return write(Operation.CREATE, name, (at, meeting) -> {
            SimInstance made = cloud.create(order, at, meeting);
            ObjectNode answer = NODES.objectNode();
            answer.put("id", made.id()).put("name", made.name()).put("state", SimInstance.Phase.PROVISIONING.word());
            if (meeting.change(Action.NUMBER_IDS).isPresent()) {
                answer.put("id", Long.parseLong(made.id()));
            }
            return answer(201, answer);
        });
    }

    private ObjectNode list(String cursor, FaultBook.Meeting meeting) {
        List<Cloud.View> all = cloud.list();
        long after = cursor.isEmpty() ? 0 : Long.parseLong(cursor);
        List<Cloud.View> rest = all.stream()
                .filter(view -> Long.parseLong(view.instance().id()) > after)
                .toList();
        List<Cloud.View> page = rest.subList(0, Math.min(profile.traits().pageSize(), rest.size()));
        ObjectNode answer = NODES.objectNode();
        ArrayNode items = answer.putArray("instances");
        page.forEach(view -> items.add(documents.instance(view, meeting)));
        if (page.size() < rest.size()) {
            answer.put("next", page.get(page.size() - 1).instance().id());
        } else {
            answer.putNull("next");
        }
        return answer;
    }

    private JsonNode body(Request request) {
        try {
            JsonNode body = json.readTree(request.text());
            if (body.isObject() || body.isArray()) {
                return body;
            }
        } catch (JsonProcessingException e) {
            throw new Refusal(400, "invalid_json", "The body is not JSON: " + e.getOriginalMessage());
        }
        throw new Refusal(400, "invalid_json", "The body must be a JSON object.");
    }

    private JsonNode tree(Answer answer) {
        try {
            return json.readTree(new String(answer.body(), StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer of our own is not JSON", e);
        }
    }

    private static Refusal unknownCall(Request request) {
        return new Refusal(404, "no_such_call", "There is no call " + request.method() + " " + request.path() + ".");
    }

    static Answer answer(int status, ObjectNode body) {
        return new Answer(
                status, JSON_TYPE, body.toString().getBytes(StandardCharsets.UTF_8), Map.of(), Answer.Ending.WHOLE);
    }

    static Answer refused(Refusal refusal) {
        return refused(refusal.status(), refusal.code(), refusal.words(), refusal.retryAfter(), "");
    }

    static Answer refused(int status, String code, String message, OptionalLong retryAfter, String id) {
        ObjectNode body = NODES.objectNode();
        ObjectNode error = body.putObject("error").put("code", code).put("message", message);
        retryAfter.ifPresent(seconds -> error.put("retryAfterSeconds", seconds));
        if (!id.isEmpty()) {
            body.put("id", id);
        }
        Map<String, String> headers = new LinkedHashMap<>();
        retryAfter.ifPresent(seconds -> headers.put("Retry-After", String.valueOf(seconds)));
        Answer plain = answer(status, body);
        return new Answer(plain.status(), plain.contentType(), plain.body(), headers, plain.ending());
    }
}
