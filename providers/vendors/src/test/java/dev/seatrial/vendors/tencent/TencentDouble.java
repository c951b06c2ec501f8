package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.tomakehurst.wiremock.http.Request;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.vendors.VendorAccount;
import dev.seatrial.vendors.WireVendor;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tencent Cloud with a memory. Checks signatures, times and what the adapter must send. */
final class TencentDouble extends WireVendor {
    static final String SECRET_ID = "AKIDseatrialTestSecretId";
    static final String SECRET_KEY = "tencent-secret-9c0d1f8e2b";
    static final PublicKey RSA = new PublicKey(
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC8gSdflU6iZDlLp3uRgfIQ7d9gl4SzF2yO9BJ1VyzhgWk contract");
    static final PublicKey ECDSA =
            new PublicKey("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA== contract");
    private static final int MOST_PER_PAGE = 10;
    private static final JsonNodeFactory F = JsonNodeFactory.instance;
    private static final ObjectMapper JSON_READER = new ObjectMapper();

    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final Map<String, ObjectNode> keys = new LinkedHashMap<>();
    private final Map<String, String> tokens = new HashMap<>();
    private final Map<Integer, CreateRequest> requests = new HashMap<>();
    private final Map<String, ObjectNode> disks = new LinkedHashMap<>();
    private final Map<String, ObjectNode> addresses = new LinkedHashMap<>();
    private final Set<String> forbidden = new HashSet<>();
    private final String regions;
    private final Provider provider;
    private int serial;
    private int vanishing;
    private boolean expired;
    private boolean oneTimer;
    private boolean timersProtect;
    private boolean busyAfterTimer;
    private Optional<Object> balance = Optional.of(123456.78);

    TencentDouble() {
        this("ap-guangzhou");
    }

    TencentDouble(String regions) {
        this.regions = regions;
        this.provider = provider(SECRET_KEY);
    }

    private static final class Machine {
        final String id;
        final String region;
        final JsonNode asked;
        final Instant from;
        final List<Instant> timers = new ArrayList<>();
        Instant hiddenUntil = Instant.MIN;
        Instant refusedUntil = Instant.MIN;
        Optional<Instant> terminated = Optional.empty();
        boolean addressReleased;
        String word = "";
        String stopCharging = "NOT_APPLICABLE";
        String restrict = "NORMAL";
        String trouble = "";

        Machine(String id, String region, JsonNode asked, Instant from) {
            this.id = id;
            this.region = region;
            this.asked = asked;
            this.from = from;
        }

        boolean lives(Instant now) {
            return terminated.filter(at -> !now.isBefore(at.plusSeconds(10))).isEmpty()
                    && timers.stream().allMatch(now::isBefore);
        }

        String word(Instant now) {
            if (!word.isEmpty()) {
                return word;
            }
            if (terminated.isPresent()) {
                return "TERMINATING";
            }
            return now.isBefore(from.plusSeconds(60)) ? "PENDING" : "RUNNING";
        }
    }

    @Override
    public Provider provider() {
        return provider;
    }

    @Override
    public Provider provider(String key) {
        return provider(key, Map.of());
    }

    Provider provider(String key, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of("region", regions, "url", base() + "/{service}"));
        settings.putAll(more);
        Map<String, String> secrets = Map.of("secretId", SECRET_ID, "secretKey", key);
        return new TencentFactory()
                .create(new VendorAccount(
                        new ProviderId("tencent-contract"),
                        settings,
                        name -> Optional.ofNullable(secrets.get(name)),
                        clock));
    }

    @Override
    public String key() {
        return SECRET_KEY;
    }

    @Override
    public boolean can(Call call, Mishap mishap) {
        return switch (mishap) {
            // Ids are words, and instances show no price.
            case NUMBER_IDS, DEARER -> false;
            default -> true;
        };
    }

    @Override
    public CreateRequest request(int number) {
        return request(number, RSA);
    }

    CreateRequest request(int number, PublicKey publicKey) {
        return requests.computeIfAbsent(number, n -> {
            LeaseName name = new LeaseName("abcd", "lease" + n, clock.instant().plus(Duration.ofHours(1)));
            KeyRef key = provider.ensureSshKey(name, publicKey);
            return new CreateRequest(
                    name,
                    "token-" + n,
                    new OfferId("ap-guangzhou/ap-guangzhou-6/GT4.4XLARGE96"),
                    Optional.of("img-ubuntu22"),
                    key,
                    publicKey,
                    Optional.of("#!/bin/sh\ntrue\n"),
                    name.deadline());
        });
    }

    @Override
    public int created() {
        return machines.size();
    }

    @Override
    public List<String> living() {
        return machines.values().stream()
                .filter(m -> m.lives(now()))
                .map(m -> m.asked.path("InstanceName").asText())
                .toList();
    }

    @Override
    public int pageSize() {
        return MOST_PER_PAGE;
    }

    @Override
    public Duration throttle() {
        return Duration.ofSeconds(1);
    }

    @Override
    public boolean pricesInstances() {
        return false;
    }

    // What tests do behind the vendor's counter.

    void expire() {
        expired = true;
    }

    void forbid(String action) {
        forbidden.add(action);
    }

    void balance(Optional<Object> hundredths) {
        balance = hundredths;
    }

    /** An instance may have one timer only. */
    void oneTimer() {
        oneTimer = true;
    }

    /** An instance with a timer cannot be destroyed by hand; nor, if it is busy then, right after the timer is gone. */
    void timersProtect(boolean busy) {
        timersProtect = true;
        busyAfterTimer = busy;
    }

    /** So many lists are shorter on their second page than on the first said. */
    void vanishing(int times) {
        vanishing = times;
    }

    void word(String id, String word, String stopCharging) {
        machines.get(id).word = word;
        machines.get(id).stopCharging = stopCharging;
    }

    void trouble(String id, String restrict, String words) {
        machines.get(id).restrict = restrict;
        machines.get(id).trouble = words;
    }

    JsonNode asked(String id) {
        return machines.get(id).asked;
    }

    List<Instant> timers(String id) {
        return machines.get(id).timers;
    }

    boolean addressReleased(String id) {
        return machines.get(id).addressReleased;
    }

    void disk(String id, String tag) {
        ObjectNode disk = F.objectNode().put("DiskId", id).put("DiskName", "data");
        disk.putArray("Tags").addObject().put("Key", "seatrial").put("Value", tag);
        disks.put(id, disk);
    }

    void address(String id, String name) {
        addresses.put(id, F.objectNode().put("AddressId", id).put("AddressName", name));
    }

    int leftovers() {
        return disks.size() + addresses.size() + keys.size();
    }

    @Override
    protected Optional<Call> kind(Request request) {
        JsonNode body = body(request);
        return Optional.ofNullable(
                switch (String.valueOf(request.getHeader("X-TC-Action"))) {
                    case "RunInstances" -> body.has("DryRun") ? null : Call.CREATE;
                    case "TerminateInstances" -> Call.RELEASE;
                    case "DescribeInstances" ->
                        body.path("Limit").asInt() == 1 ? Call.ACCOUNT : body.has("InstanceIds") ? Call.GET : Call.LIST;
                    case "DescribeZoneInstanceConfigInfos" -> Call.OFFERS;
                    default -> null;
                });
    }

    private static JsonNode body(Request request) {
        try {
            return JSON_READER.readTree(request.getBodyAsString());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** The vendor says everything under 200; what has another status is its gateway's. */
    @Override
    protected Reply broken(int status, String text) {
        return status == 200 ? error("InternalError", text) : Reply.json(status, "{\"message\":\"" + text + "\"}");
    }

    private Reply error(String code, String message) {
        ObjectNode response = response();
        response.putObject("Error").put("Code", code).put("Message", message);
        return said(response);
    }

    private ObjectNode response() {
        return F.objectNode().put("RequestId", String.format("3c1d%04d-aaaa-4bbb-8ccc-00c0ffee0000", ++serial));
    }

    private static Reply said(ObjectNode response) {
        return Reply.json(200, F.objectNode().set("Response", response).toString());
    }

    @Override
    protected Reply answer(Request request, Optional<Mishap> mishap) {
        JsonNode body = body(request);
        String action = String.valueOf(request.getHeader("X-TC-Action"));
        String region = String.valueOf(request.getHeader("X-TC-Region"));
        Optional<Reply> refused = stranger(request, action);
        if (refused.isPresent()) {
            return refused.get();
        }
        if (mishap.filter(Mishap.THROTTLED::equals).isPresent()) {
            return error("RequestLimitExceeded", "More than 10 calls in this second.");
        }
        if (forbidden.contains(action)) {
            return error("UnauthorizedOperation", "Your policy does not hold " + action + ".");
        }
        return switch (action) {
            case "RunInstances" ->
                body.path("DryRun").asBoolean()
                        ? error("MissingParameter", "Placement is needed.")
                        : run(region, body, mishap);
            case "DescribeInstances" -> list(region, body, mishap);
            case "TerminateInstances" -> terminate(region, body, mishap);
            case "ImportInstancesActionTimer" -> importTimer(body);
            case "DescribeInstancesActionTimer" -> timers(body);
            case "DeleteInstancesActionTimer" -> deleteTimers(body);
            case "ImportKeyPair" -> importKey(region, body);
            case "DescribeKeyPairs" -> keys(region, body);
            case "DeleteKeyPairs" -> drop(keys, body.path("KeyIds"), "InvalidKeyPairId.NotFound");
            case "DescribeZoneInstanceConfigInfos" -> types(region);
            case "InquiryPriceRunInstances" -> price(body);
            case "DescribeImages" ->
                paged(
                        body,
                        "ImageSet",
                        List.of(
                                image("img-win", "Windows", "Windows Server 2022"),
                                image("img-ubuntu24", "Ubuntu", "Ubuntu Server 24.04 LTS 64bit"),
                                image("img-ubuntu22", "Ubuntu", "Ubuntu Server 22.04 LTS 64bit")),
                        false);
            case "DescribeAddresses" -> paged(body, "AddressSet", List.copyOf(addresses.values()), false);
            case "ReleaseAddresses" -> drop(addresses, body.path("AddressIds"), "InvalidAddressId.NotFound");
            case "DescribeDisks" -> paged(body, "DiskSet", List.copyOf(disks.values()), false);
            case "TerminateDisks" -> drop(disks, body.path("DiskIds"), "ResourceNotFound.NotFound");
            case "DescribeAccountBalance" -> {
                ObjectNode response = response().put("Balance", 77);
                balance.ifPresent(b -> response.putPOJO("RealBalance", b));
                yield said(response);
            }
            default -> error("InvalidAction", "Nothing is called " + action + ".");
        };
    }

    private Optional<Reply> stranger(Request request, String action) {
        String authorization = String.valueOf(request.getHeader("Authorization"));
        Instant at = Instant.ofEpochSecond(Long.parseLong(String.valueOf(request.getHeader("X-TC-Timestamp"))));
        if (Duration.between(at, now()).abs().compareTo(Duration.ofMinutes(5)) > 0) {
            return Optional.of(error("AuthFailure.SignatureExpire", "This signature is too old or too new."));
        }
        if (!authorization.contains("Credential=" + SECRET_ID + "/")) {
            return Optional.of(error("AuthFailure.SecretIdNotFound", "No such key."));
        }
        String service = request.getUrl().split("/")[1];
        String expected = TencentSignature.of(
                        SECRET_ID,
                        SECRET_KEY,
                        service,
                        String.valueOf(request.getHeader("Host")),
                        action,
                        request.getBodyAsString(),
                        at)
                .authorization();
        // The mock server writes the type in its own way; what is really sent is looked at in TencentSignatureTest.
        if (!expected.equals(authorization)
                || !TencentSignature.CONTENT_TYPE.equalsIgnoreCase(request.getHeader("Content-Type"))) {
            return Optional.of(
                    error("AuthFailure.SignatureFailure", "Our signature is another one than " + authorization));
        }
        return expired ? Optional.of(error("AuthFailure.TokenFailure", "The token has run out.")) : Optional.empty();
    }

    private Reply run(String region, JsonNode body, Optional<Mishap> mishap) {
        Optional<Reply> refused = mishap.flatMap(m -> switch (m) {
            case NO_CAPACITY ->
                Optional.of(error("ResourceInsufficient.SpecifiedInstanceType", "This type is sold out just now."));
            case QUOTA -> Optional.of(error("LimitExceeded.InstanceQuota", "0 of this family are left to you."));
            case NO_FUNDS -> Optional.of(error("InvalidAccount.InsufficientBalance", "Top up first."));
            default -> Optional.empty();
        });
        if (refused.isPresent()) {
            return refused.get();
        }
        String token = body.path("ClientToken").asText();
        if (tokens.containsKey(token)) {
            return said(made(tokens.get(token)));
        }
        Instant at = Instant.parse(body.path("ActionTimer").path("ActionTime").asText());
        if (!at.isAfter(now().plus(Duration.ofMinutes(5)))) {
            return error("InvalidParameterValue.InvalidTimeFormat", "It must be five minutes ahead.");
        }
        for (JsonNode key : body.path("LoginSettings").path("KeyIds")) {
            if (!keys.containsKey(key.asText())) {
                return error("InvalidParameterValue.KeyPairNotFound", "No such key.");
            }
        }
        Machine machine = new Machine(String.format("ins-%08d", machines.size() + 1), region, body, now());
        machine.timers.add(at);
        if (mishap.filter(Mishap.HIDDEN::equals).isPresent()) {
            machine.hiddenUntil = now().plusSeconds(10);
        }
        machines.put(machine.id, machine);
        tokens.put(token, machine.id);
        ObjectNode response = made(machine.id);
        if (mishap.filter(Mishap.REFUSED_WITH_ID::equals).isPresent()) {
            response.putObject("Error")
                    .put("Code", "ResourcesSoldOut.SpecifiedInstanceType")
                    .put("Message", "Sold out after all.");
        }
        return said(response);
    }

    private ObjectNode made(String id) {
        ObjectNode response = response();
        response.putArray("InstanceIdSet").add(id);
        return response;
    }

    private Reply list(String region, JsonNode body, Optional<Mishap> mishap) {
        List<ObjectNode> shown = machines.values().stream()
                .filter(m -> m.region.equals(region))
                .filter(m -> m.lives(now()) && !now().isBefore(m.hiddenUntil))
                .filter(m -> !body.has("InstanceIds")
                        || body.path("InstanceIds").path(0).asText().equals(m.id))
                .map(m -> show(m, mishap.filter(Mishap.UNKNOWN_WORD::equals).isPresent()))
                .toList();
        return paged(body, "InstanceSet", shown, true);
    }

    private Reply paged(JsonNode body, String name, List<ObjectNode> items, boolean mayVanish) {
        int from = Math.min(body.path("Offset").asInt(0), items.size());
        int to = Math.min(from + Math.min(MOST_PER_PAGE, body.path("Limit").asInt(20)), items.size());
        int total = items.size();
        if (mayVanish && from > 0 && vanishing > 0) {
            vanishing--;
            total--;
        }
        ObjectNode response = response().put("TotalCount", total);
        response.putArray(name).addAll(items.subList(from, to));
        return said(response);
    }

    private ObjectNode show(Machine m, boolean odd) {
        ObjectNode node = F.objectNode()
                .put("InstanceId", m.id)
                .put("InstanceName", m.asked.path("InstanceName").asText())
                .put("InstanceState", odd ? "PONDERING" : m.word(now()))
                .put("StopChargingMode", m.stopCharging)
                .put("RestrictState", m.restrict)
                .put("LatestOperationErrorMsg", m.trouble)
                .put("DefaultLoginUser", "ubuntu")
                .put("DefaultLoginPort", 22)
                .put("CreatedTime", m.from.truncatedTo(ChronoUnit.SECONDS).toString());
        if (m.word(now()).equals("RUNNING")) {
            node.putArray("PublicIpAddresses").add("203.0.113.9");
        } else {
            node.putNull("PublicIpAddresses");
        }
        return node;
    }

    private Reply terminate(String region, JsonNode body, Optional<Mishap> mishap) {
        Machine m = machines.get(body.path("InstanceIds").path(0).asText());
        if (m == null || !m.region.equals(region) || !m.lives(now())) {
            return error("InvalidInstanceId.NotFound", "No such instance is known here.");
        }
        if (mishap.filter(Mishap.REFUSED::equals).isPresent()) {
            m.refusedUntil = now().plusSeconds(10);
        }
        if (now().isBefore(m.refusedUntil)) {
            return error("OperationDenied.InstanceOperationInProgress", "It is busy with something else.");
        }
        if (timersProtect && !m.timers.isEmpty()) {
            return error("UnsupportedOperation.InvalidInstanceNotSupportedProtectedInstance", "It has a timer.");
        }
        if (busyAfterTimer) {
            return error("OperationDenied.InstanceOperationInProgress", "It is busy with its timer.");
        }
        if (m.terminated.isPresent()) {
            return error("UnsupportedOperation.InstanceStateTerminating", "It is being destroyed.");
        }
        m.addressReleased = body.path("ReleaseAddress").asBoolean(false);
        m.terminated = Optional.of(now());
        return said(response());
    }

    private Reply importTimer(JsonNode body) {
        Machine m = machines.get(body.path("InstanceIds").path(0).asText());
        Instant at = Instant.parse(body.path("ActionTimer").path("ActionTime").asText());
        if (!at.isAfter(now().plus(Duration.ofMinutes(5)))) {
            return error("InvalidParameterValue.InvalidTimeFormat", "It must be five minutes ahead.");
        }
        if (oneTimer && !m.timers.isEmpty()) {
            return error("UnsupportedOperation.NotSupportImportInstancesActionTimer", "It has a timer.");
        }
        m.timers.add(at);
        ObjectNode response = response();
        response.putArray("ActionTimerIds").add("timer-" + m.timers.size());
        return said(response);
    }

    private Reply timers(JsonNode body) {
        ObjectNode response = response();
        ArrayNode shown = response.putArray("ActionTimers");
        Machine m = machines.get(body.path("InstanceIds").path(0).asText());
        m.timers.forEach(at -> shown.addObject()
                .put("ActionTimerId", m.id + "@" + at)
                .put("InstanceId", m.id)
                .put("TimerAction", "TerminateInstances")
                .put("Status", "UNDO")
                .put("ActionTime", at.toString()));
        return said(response);
    }

    private Reply deleteTimers(JsonNode body) {
        for (JsonNode timer : body.path("ActionTimerIds")) {
            String[] parts = timer.asText().split("@");
            machines.get(parts[0]).timers.remove(Instant.parse(parts[1]));
        }
        return said(response());
    }

    private Reply importKey(String region, JsonNode body) {
        String name = body.path("KeyName").asText();
        if (!name.matches("[A-Za-z0-9_]{1,25}")) {
            return error("InvalidKeyPairNameIncludeIllegalChar", "Letters, digits and underscores, 25 at most.");
        }
        if (!body.path("PublicKey").asText().startsWith("ssh-rsa ")) {
            return error("InvalidPublicKey.Malformed", "Only RSA.");
        }
        boolean taken = keys.values().stream()
                .anyMatch(k -> k.path("region").asText().equals(region)
                        && k.path("KeyName").asText().equals(name));
        if (taken) {
            return error("InvalidKeyPairName.Duplicate", "This name is taken.");
        }
        String id = String.format("skey-%08d", ++serial);
        ObjectNode key = F.objectNode()
                .put("KeyId", id)
                .put("KeyName", name)
                .put("region", region)
                .put("PublicKey", body.path("PublicKey").asText());
        key.set("Tags", body.path("TagSpecification").path(0).path("Tags"));
        keys.put(id, key);
        return said(response().put("KeyId", id));
    }

    private Reply keys(String region, JsonNode body) {
        JsonNode filter = body.path("Filters").path(0);
        String wanted = filter.path("Values").path(0).asText();
        return paged(
                body,
                "KeyPairSet",
                keys.values().stream()
                        .filter(k -> k.path("region").asText().equals(region))
                        .filter(k -> filter.path("Name").asText().equals("key-name")
                                ? k.path("KeyName").asText().equals(wanted)
                                : k.path("Tags").path(0).path("Key").asText().equals(wanted))
                        .map(k -> k.deepCopy().without("region"))
                        .map(ObjectNode.class::cast)
                        .toList(),
                false);
    }

    private Reply drop(Map<String, ObjectNode> things, JsonNode ids, String code) {
        return things.remove(ids.path(0).asText()) == null ? error(code, "No such thing.") : said(response());
    }

    private Reply types(String region) {
        ObjectNode response = response();
        ArrayNode all = response.putArray("InstanceTypeQuotaSet");
        type(all, region, "GT4.4XLARGE96", "GT4", 1, 1, "SELL", "EnoughStock", 28.9);
        type(all, region, "GT4.41XLARGE948", "GT4", 8, 8, "SOLD_OUT", "WithoutStock", 231.2);
        type(all, region, "GN7.LARGE20", "GN7", 1, 0.25, "SELL", "NormalStock", 2.1);
        type(all, region, "GX1.LARGE", "GX1", 2, 2, "SELL", "UnderStock", 9.5);
        type(all, region, "S5.LARGE4", "S5", 0, 0, "SELL", "EnoughStock", 0.5);
        return said(response);
    }

    private static void type(
            ArrayNode all,
            String region,
            String name,
            String family,
            int gpu,
            double real,
            String status,
            String stock,
            double price) {
        all.addObject()
                .put("Zone", region + "-6")
                .put("InstanceType", name)
                .put("InstanceFamily", family)
                .put("TypeName", "GPU " + family)
                .put("Gpu", gpu)
                .put("GpuCount", real)
                .put("Status", status)
                .put("StatusCategory", stock)
                .putObject("Price")
                .put("UnitPrice", price)
                .put("UnitPriceDiscount", 0)
                .put("ChargeUnit", "HOUR");
    }

    private Reply price(JsonNode body) {
        if (body.path("InstanceType").asText().equals("GT4.41XLARGE948")) {
            return error("ResourceInsufficient.SpecifiedInstanceType", "This type is sold out just now.");
        }
        ObjectNode response = response();
        response.putObject("Price")
                .putObject("InstancePrice")
                .put("UnitPrice", 30.15)
                .put("UnitPriceDiscount", 29.41)
                .put("UnitPriceDiscountSecondStep", 14.7)
                .put("ChargeUnit", "HOUR");
        return said(response);
    }

    private static ObjectNode image(String id, String platform, String os) {
        return F.objectNode()
                .put("ImageId", id)
                .put("ImageName", os + " (public)")
                .put("OsName", os)
                .put("Platform", platform);
    }
}
