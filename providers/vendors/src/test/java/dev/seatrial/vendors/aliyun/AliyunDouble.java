package dev.seatrial.vendors.aliyun;

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
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Alibaba Cloud with a memory. Checks signatures, times, nonces and what the adapter must send. */
final class AliyunDouble extends WireVendor {
    static final String KEY_ID = "LTAI5tSeatrialTestKey";
    static final String SECRET = "aliyun-secret-5e1d7b0c94";
    static final PublicKey PUBLIC_KEY =
            new PublicKey("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA== contract");
    private static final int MOST_PER_PAGE = 10;
    private static final JsonNodeFactory F = JsonNodeFactory.instance;

    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final Map<String, ObjectNode> keys = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> tokens = new HashMap<>();
    private final Map<String, String> tokenIds = new HashMap<>();
    private final Set<String> nonces = new HashSet<>();
    private final Map<Integer, CreateRequest> requests = new HashMap<>();
    private final Map<String, ObjectNode> disks = new LinkedHashMap<>();
    private final Map<String, ObjectNode> addresses = new LinkedHashMap<>();
    private final Set<String> forbidden = new HashSet<>();
    private final String regions;
    private final Provider provider;
    private int serial;
    private boolean expired;
    private boolean blind;
    private boolean unlisted;
    private String balance = "1,234.56";

    AliyunDouble() {
        this("cn-beijing");
    }

    AliyunDouble(String regions) {
        this.regions = regions;
        this.provider = provider(SECRET);
    }

    private static final class Machine {
        final String id;
        final String region;
        final Map<String, String> asked;
        final Instant from;
        Instant hiddenUntil = Instant.MIN;
        Instant refusedUntil = Instant.MIN;
        Optional<Instant> release = Optional.empty();
        Optional<Instant> deleted = Optional.empty();
        String stoppedMode = "";
        String lock = "";
        boolean odd;

        Machine(String id, String region, Map<String, String> asked, Instant from) {
            this.id = id;
            this.region = region;
            this.asked = asked;
            this.from = from;
        }

        boolean lives(Instant now) {
            return deleted.filter(at -> !now.isBefore(at.plusSeconds(10))).isEmpty()
                    && release.filter(at -> !now.isBefore(at)).isEmpty();
        }

        String word(Instant now) {
            if (odd) {
                return "Contemplating";
            }
            if (!stoppedMode.isEmpty()) {
                return "Stopped";
            }
            if (deleted.isPresent()) {
                return "Stopping";
            }
            return now.isBefore(from.plusSeconds(10))
                    ? "Pending"
                    : now.isBefore(from.plusSeconds(60)) ? "Starting" : "Running";
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
        Map<String, String> settings = new HashMap<>(
                Map.of("region", regions, "url", base() + "/{region}", "billingUrl", base() + "/billing"));
        settings.putAll(more);
        Map<String, String> secrets = Map.of("accessKeyId", KEY_ID, "accessKeySecret", key);
        return new AliyunFactory()
                .create(new VendorAccount(
                        new ProviderId("aliyun-contract"),
                        settings,
                        name -> Optional.ofNullable(secrets.get(name)),
                        clock));
    }

    @Override
    public String key() {
        return SECRET;
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
        return request(number, provider);
    }

    CreateRequest request(int number, Provider with) {
        return requests.computeIfAbsent(number, n -> {
            LeaseName name = new LeaseName("abcd", "lease" + n, clock.instant().plus(Duration.ofHours(1)));
            KeyRef key = with.ensureSshKey(name, PUBLIC_KEY);
            return new CreateRequest(
                    name,
                    "token-" + n,
                    new OfferId("cn-beijing/cn-beijing-h/ecs.gn7e-c16g1.4xlarge"),
                    Optional.of("ubuntu_22_04_x64_20G_alibase_20260401.vhd"),
                    key,
                    PUBLIC_KEY,
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
                .map(m -> m.asked.get("InstanceName"))
                .toList();
    }

    @Override
    public int pageSize() {
        return MOST_PER_PAGE;
    }

    @Override
    public Duration throttle() {
        return Duration.ofSeconds(60);
    }

    @Override
    public boolean pricesInstances() {
        return false;
    }

    // What tests do behind the vendor's counter.

    void expire() {
        expired = true;
    }

    /** Its user may not list: as the real one does, it answers with nothing then. */
    void blind() {
        blind = true;
    }

    /** Its lists lag behind: an instance is found by its id only. */
    void unlisted() {
        unlisted = true;
    }

    void forbid(String action) {
        forbidden.add(action);
    }

    void balance(String amount) {
        balance = amount;
    }

    void stop(String id, String mode) {
        machines.get(id).stoppedMode = mode;
    }

    void lock(String id, String why) {
        machines.get(id).lock = why;
    }

    Optional<Instant> releaseTime(String id) {
        return machines.get(id).release;
    }

    Map<String, String> asked(String id) {
        return machines.get(id).asked;
    }

    void disk(String id, String tag) {
        ObjectNode disk =
                F.objectNode().put("DiskId", id).put("DiskName", "data").put("Status", "Available");
        disk.putObject("Tags")
                .putArray("Tag")
                .addObject()
                .put("TagKey", "seatrial")
                .put("TagValue", tag);
        disks.put(id, disk);
    }

    void address(String id, String name) {
        addresses.put(id, F.objectNode().put("AllocationId", id).put("Name", name));
    }

    int leftovers() {
        return disks.size() + addresses.size() + keys.size();
    }

    @Override
    protected Optional<Call> kind(Request request) {
        Map<String, String> query = query(request);
        boolean dry = query.containsKey("DryRun");
        return Optional.ofNullable(
                switch (String.valueOf(request.getHeader("x-acs-action"))) {
                    case "RunInstances" -> dry ? null : Call.CREATE;
                    case "DeleteInstance" -> dry ? null : Call.RELEASE;
                    case "DescribeInstances" ->
                        dry ? Call.ACCOUNT : query.containsKey("InstanceIds") ? Call.GET : Call.LIST;
                    case "DescribeInstanceTypes" -> Call.OFFERS;
                    default -> null;
                });
    }

    @Override
    protected Reply broken(int status, String text) {
        return error(status, status == 503 ? "ServiceUnavailable" : "InternalError", text);
    }

    private Reply error(int status, String code, String message) {
        ObjectNode body = F.objectNode()
                .put("RequestId", requestId())
                .put("HostId", "ecs.cn-beijing.aliyuncs.com")
                .put("Code", code)
                .put("Message", message)
                .put("Recommend", "https://api.aliyun.example/troubleshoot?q=" + code);
        return Reply.json(status, body.toString());
    }

    private String requestId() {
        return String.format("7B2C%04d-1D2E-4F3A-9A6B-00C0FFEE0000", ++serial);
    }

    private ObjectNode yes() {
        return F.objectNode().put("RequestId", requestId());
    }

    @Override
    protected Reply answer(Request request, Optional<Mishap> mishap) {
        Map<String, String> query = query(request);
        String action = String.valueOf(request.getHeader("x-acs-action"));
        Optional<Reply> refused = stranger(request, query);
        if (refused.isPresent()) {
            return refused.get();
        }
        if (mishap.filter(Mishap.THROTTLED::equals).isPresent()) {
            return error(400, "Throttling.User", "Slow down, this user has called too often.");
        }
        boolean dry = "true".equals(query.get("DryRun"));
        if (forbidden.contains(action)) {
            return error(403, "Forbidden.RAM", "Your RAM user lacks the right " + action + ".");
        }
        return switch (action) {
            case "RunInstances" ->
                dry ? error(400, "MissingParameter.ImageId", "An image is needed.") : run(query, mishap);
            case "DescribeInstances" -> dry ? dry() : list(query, mishap);
            case "DescribeInstanceAttribute" -> attribute(region(request), query);
            case "DeleteInstance" ->
                dry
                        ? error(404, "InvalidInstanceId.NotFound", "No such instance is known here.")
                        : delete(region(request), query, mishap);
            case "ModifyInstanceAutoReleaseTime" -> autoRelease(query);
            case "ImportKeyPair" -> importKey(query);
            case "DescribeKeyPairs" -> keys(query);
            case "DeleteKeyPairs" -> deleteKeys(query);
            case "DescribeVSwitches" ->
                paged(
                        query,
                        "VSwitches",
                        "VSwitch",
                        List.of(F.objectNode()
                                .put("VSwitchId", "vsw-2zetest")
                                .put("ZoneId", query.get("ZoneId"))
                                .put("VpcId", "vpc-2zetest")
                                .put("IsDefault", true)));
            case "DescribeSecurityGroups" ->
                paged(
                        query,
                        "SecurityGroups",
                        "SecurityGroup",
                        List.of(
                                F.objectNode()
                                        .put("SecurityGroupId", "sg-other")
                                        .put("SecurityGroupName", "web"),
                                F.objectNode()
                                        .put("SecurityGroupId", "sg-2zetest")
                                        .put("SecurityGroupName", "seatrial")));
            case "DescribeInstanceTypes" -> types();
            case "DescribeAvailableResource" -> resources(query);
            case "DescribePrice" -> price(query);
            case "DescribeImages" ->
                paged(
                        query,
                        "Images",
                        "Image",
                        List.of(F.objectNode()
                                .put("ImageId", "ubuntu_22_04_x64_20G_alibase_20260401.vhd")
                                .put("ImageName", "ubuntu_22_04")
                                .put("OSName", "Ubuntu 22.04")));
            case "DescribeDisks" ->
                Reply.json(
                        200,
                        listed("Disks", "Disk", List.copyOf(disks.values())).toString());
            case "DeleteDisk" -> drop(disks, query.get("DiskId"), "InvalidDiskId.NotFound");
            case "DescribeEipAddresses" -> paged(query, "EipAddresses", "EipAddress", List.copyOf(addresses.values()));
            case "ReleaseEipAddress" -> drop(addresses, query.get("AllocationId"), "InvalidAllocationId.NotFound");
            case "QueryAccountBalance" -> {
                ObjectNode body =
                        yes().put("Code", "200").put("Message", "success").put("Success", true);
                body.putObject("Data").put("AvailableAmount", balance).put("Currency", "CNY");
                yield Reply.json(200, body.toString());
            }
            case "DescribeInstanceBill" -> bill(query);
            default -> error(404, "InvalidAction.NotFound", "Nothing is called " + action + ".");
        };
    }

    private Optional<Reply> stranger(Request request, Map<String, String> query) {
        String authorization = String.valueOf(request.getHeader("Authorization"));
        String date = String.valueOf(request.getHeader("x-acs-date"));
        try {
            if (Duration.between(Instant.parse(date), now()).abs().compareTo(Duration.ofMinutes(15)) > 0) {
                return Optional.of(error(400, "InvalidTimeStamp.Expired", "The date of this request is too far off."));
            }
        } catch (DateTimeParseException e) {
            return Optional.of(error(400, "InvalidTimeStamp.Format", "No date can be read."));
        }
        if (!authorization.contains("Credential=" + KEY_ID + ",")) {
            return Optional.of(error(404, "InvalidAccessKeyId.NotFound", "Such an access key is not known."));
        }
        Map<String, String> headers = new TreeMap<>();
        for (String name :
                authorization.replaceFirst(".*SignedHeaders=([^,]*),.*", "$1").split(";")) {
            headers.put(name, String.valueOf(request.getHeader(name)));
        }
        String expected = AliyunSignature.of(KEY_ID, SECRET, request.getMethod().getName(), query, headers)
                .authorization();
        if (!expected.equals(authorization)) {
            return Optional.of(
                    error(400, "SignatureDoesNotMatch", "Our signature is another one than " + authorization));
        }
        if (!nonces.add(String.valueOf(request.getHeader("x-acs-signature-nonce")))) {
            return Optional.of(error(400, "SignatureNonceUsed", "This nonce was seen before."));
        }
        return expired
                ? Optional.of(error(400, "InvalidSecurityToken.Expired", "This token has run out."))
                : Optional.empty();
    }

    private Reply dry() {
        return blind
                ? error(403, "Forbidden.RAM", "Your RAM user may not list instances.")
                : error(400, "DryRunOperation", "It would have been carried out.");
    }

    private Reply run(Map<String, String> query, Optional<Mishap> mishap) {
        Optional<Reply> refused = mishap.flatMap(m -> switch (m) {
            case NO_CAPACITY ->
                Optional.of(error(403, "OperationDenied.NoStock", "This type is sold out in this zone."));
            case QUOTA -> Optional.of(error(403, "QuotaExceed.ElasticQuota", "Your vCPU limit for this family is 0."));
            case NO_FUNDS ->
                Optional.of(error(403, "InvalidAccountStatus.NotEnoughBalance", "Top up your balance first."));
            default -> Optional.empty();
        });
        if (refused.isPresent()) {
            return refused.get();
        }
        String token = query.get("ClientToken");
        if (tokens.containsKey(token)) {
            return tokens.get(token).equals(query)
                    ? Reply.json(200, made(tokenIds.get(token)).toString())
                    : error(400, "IdempotentParameterMismatch", "This token was used with other parameters.");
        }
        Instant release = Instant.parse(query.get("AutoReleaseTime"));
        if (release.isBefore(now().plus(Duration.ofMinutes(30)))) {
            return error(400, "InvalidAutoReleaseTime.Malformed", "It must be half an hour ahead.");
        }
        if (!keys.containsKey(query.get("RegionId") + "/" + query.get("KeyPairName"))) {
            return error(404, "InvalidKeyPairName.NotFound", "No such key pair.");
        }
        Machine machine =
                new Machine(String.format("i-2ze%015d", machines.size() + 1), query.get("RegionId"), query, now());
        machine.release = Optional.of(release.truncatedTo(ChronoUnit.MINUTES));
        if (mishap.filter(Mishap.HIDDEN::equals).isPresent()) {
            machine.hiddenUntil = now().plusSeconds(10);
        }
        machines.put(machine.id, machine);
        tokens.put(token, query);
        tokenIds.put(token, machine.id);
        if (mishap.filter(Mishap.REFUSED_WITH_ID::equals).isPresent()) {
            ObjectNode body =
                    made(machine.id).put("Code", "OperationDenied.NoStock").put("Message", "Sold out after all.");
            return Reply.json(403, body.toString());
        }
        return Reply.json(200, made(machine.id).toString());
    }

    private ObjectNode made(String id) {
        ObjectNode body = yes().put("OrderId", "1234567890").put("TradePrice", 34.74);
        body.putObject("InstanceIdSets").putArray("InstanceIdSet").add(id);
        return body;
    }

    private Reply list(Map<String, String> query, Optional<Mishap> mishap) {
        List<ObjectNode> shown = machines.values().stream()
                .filter(m -> !blind && !unlisted)
                .filter(m -> m.region.equals(query.get("RegionId")))
                .filter(m -> m.lives(now()) && !now().isBefore(m.hiddenUntil))
                .filter(m -> !query.containsKey("InstanceIds")
                        || query.get("InstanceIds").equals("[\"" + m.id + "\"]"))
                .sorted(Comparator.comparing(m -> m.id))
                .map(m -> {
                    m.odd = mishap.filter(Mishap.UNKNOWN_WORD::equals).isPresent();
                    ObjectNode node = show(m);
                    m.odd = false;
                    return node;
                })
                .toList();
        int from = query.containsKey("NextToken")
                ? Integer.parseInt(query.get("NextToken").substring(4))
                : 0;
        int to = Math.min(from + Math.min(MOST_PER_PAGE, Integer.parseInt(query.get("MaxResults"))), shown.size());
        ObjectNode body = listed("Instances", "Instance", shown.subList(from, to));
        body.put("TotalCount", 0).put("PageSize", 0).put("PageNumber", 0);
        body.put("NextToken", to < shown.size() ? "caeb" + to : "");
        return Reply.json(200, body.toString());
    }

    private ObjectNode listed(String outer, String inner, List<ObjectNode> items) {
        ObjectNode body = yes();
        body.putObject(outer).putArray(inner).addAll(items);
        return body;
    }

    private Reply paged(Map<String, String> query, String outer, String inner, List<ObjectNode> items) {
        int size = Math.min(MOST_PER_PAGE, Integer.parseInt(query.get("PageSize")));
        int from = (Integer.parseInt(query.get("PageNumber")) - 1) * size;
        ObjectNode body = listed(
                outer,
                inner,
                from >= items.size() ? List.of() : items.subList(from, Math.min(from + size, items.size())));
        return Reply.json(200, body.put("TotalCount", items.size()).toString());
    }

    private ObjectNode show(Machine m) {
        Instant now = now();
        ObjectNode node = F.objectNode()
                .put("InstanceId", m.id)
                .put("InstanceName", m.asked.get("InstanceName"))
                .put("InstanceType", m.asked.get("InstanceType"))
                .put("Status", m.word(now))
                .put("StoppedMode", m.stoppedMode.isEmpty() ? "Not-applicable" : m.stoppedMode)
                .put(
                        "CreationTime",
                        m.from.truncatedTo(ChronoUnit.MINUTES).toString().replace(":00Z", "Z"));
        node.put(
                "AutoReleaseTime",
                m.release.map(at -> at.toString().replace(":00Z", "Z")).orElse(""));
        ArrayNode ips = node.putObject("PublicIpAddress").putArray("IpAddress");
        if (m.word(now).equals("Running")) {
            ips.add("203.0.113.7");
        }
        ArrayNode locks = node.putObject("OperationLocks").putArray("LockReason");
        if (!m.lock.isEmpty()) {
            locks.addObject().put("LockReason", m.lock);
        }
        return node;
    }

    private static String region(Request request) {
        return request.getUrl().replaceFirst("^/([^/]*)/.*", "$1");
    }

    private Reply attribute(String region, Map<String, String> query) {
        Machine m = machines.get(query.get("InstanceId"));
        if (m == null || !m.region.equals(region) || !m.lives(now()) || now().isBefore(m.hiddenUntil)) {
            return error(404, "InvalidInstanceId.NotFound", "No such instance is known here.");
        }
        ObjectNode shown = show(m);
        shown.remove("AutoReleaseTime");
        return Reply.json(200, yes().setAll(shown).toString());
    }

    private Reply delete(String region, Map<String, String> query, Optional<Mishap> mishap) {
        Machine m = machines.get(query.get("InstanceId"));
        if (m == null || !m.region.equals(region) || !m.lives(now())) {
            return error(404, "InvalidInstanceId.NotFound", "No such instance is known here.");
        }
        if (mishap.filter(Mishap.REFUSED::equals).isPresent()) {
            m.refusedUntil = now().plusSeconds(10);
        }
        if (now().isBefore(m.refusedUntil)) {
            return error(403, "IncorrectInstanceStatus.Initializing", "It is still being made.");
        }
        if (!"true".equals(query.get("Force")) && !m.word(now()).equals("Stopped")) {
            return error(403, "IncorrectInstanceStatus", "It has not been stopped.");
        }
        m.deleted = m.deleted.or(() -> Optional.of(now()));
        return Reply.json(200, yes().toString());
    }

    private Reply autoRelease(Map<String, String> query) {
        Machine m = machines.get(query.get("InstanceId"));
        Instant at = Instant.parse(query.get("AutoReleaseTime"));
        if (at.isBefore(now().plus(Duration.ofMinutes(30)))) {
            return error(400, "InvalidAutoReleaseTime.Malformed", "It must be half an hour ahead.");
        }
        m.release = Optional.of(at.truncatedTo(ChronoUnit.MINUTES));
        return Reply.json(200, yes().toString());
    }

    private Reply importKey(Map<String, String> query) {
        String at = query.get("RegionId") + "/" + query.get("KeyPairName");
        if (keys.containsKey(at)) {
            return error(400, "KeyPair.AlreadyExist", "A key pair has this name already.");
        }
        keys.put(
                at,
                F.objectNode()
                        .put("KeyPairName", query.get("KeyPairName"))
                        .put("PublicKey", query.get("PublicKeyBody")));
        return Reply.json(
                200, yes().put("KeyPairName", query.get("KeyPairName")).toString());
    }

    private Reply keys(Map<String, String> query) {
        List<ObjectNode> shown = new ArrayList<>();
        keys.forEach((at, key) -> {
            boolean wanted = !query.containsKey("KeyPairName")
                    || key.path("KeyPairName").asText().equals(query.get("KeyPairName"));
            if (at.startsWith(query.get("RegionId") + "/") && wanted) {
                shown.add(key);
            }
        });
        return paged(query, "KeyPairs", "KeyPair", shown);
    }

    private Reply deleteKeys(Map<String, String> query) {
        String name = query.get("KeyPairNames").replaceAll("[\\[\\]\"]", "");
        keys.remove(query.get("RegionId") + "/" + name);
        return Reply.json(200, yes().toString());
    }

    private Reply drop(Map<String, ObjectNode> things, String id, String code) {
        return things.remove(id) == null
                ? error(404, code, "No such thing is known here.")
                : Reply.json(200, yes().toString());
    }

    private Reply types() {
        return Reply.json(
                200,
                listed(
                                "InstanceTypes",
                                "InstanceType",
                                List.of(
                                        type("ecs.gn7e-c16g1.4xlarge", 1, "NVIDIA A100"),
                                        type("ecs.gn7e-c16g1.32xlarge", 8, "NVIDIA A100"),
                                        type("ecs.gn7i-c8g1.2xlarge", 1, "NVIDIA A10"),
                                        type("ecs.sgn7i-vws-m2.xlarge", 1, "NVIDIA A10*1/12"),
                                        type("ecs.gn99-new.large", 4, "Moonchip M1")))
                        .put("NextToken", "")
                        .toString());
    }

    private static ObjectNode type(String name, int gpus, String spec) {
        return F.objectNode().put("InstanceTypeId", name).put("GPUAmount", gpus).put("GPUSpec", spec);
    }

    private Reply resources(Map<String, String> query) {
        ObjectNode body = yes();
        ArrayNode zones = body.putObject("AvailableZones").putArray("AvailableZone");
        for (String zone : List.of("h", "l")) {
            ArrayNode supported = zones.addObject()
                    .put("ZoneId", query.get("RegionId") + "-" + zone)
                    .put("Status", "Available")
                    .putObject("AvailableResources")
                    .putArray("AvailableResource")
                    .addObject()
                    .put("Type", "InstanceType")
                    .putObject("SupportedResources")
                    .putArray("SupportedResource");
            supported.addObject().put("Value", "ecs.gn7e-c16g1.4xlarge").put("StatusCategory", "WithStock");
            supported
                    .addObject()
                    .put("Value", "ecs.gn7e-c16g1.32xlarge")
                    .put("Status", "SoldOut")
                    .put("StatusCategory", "WithoutStock");
            supported.addObject().put("Value", "ecs.gn99-new.large").put("Status", "Available");
            supported.addObject().put("Value", "ecs.gn7i-c8g1.2xlarge").put("StatusCategory", "ClosedWithStock");
            supported.addObject().put("Value", "ecs.g7.large").put("StatusCategory", "WithStock");
        }
        return Reply.json(200, body.toString());
    }

    private Reply price(Map<String, String> query) {
        if (query.get("InstanceType").equals("ecs.gn7i-c8g1.2xlarge")) {
            return error(403, "InvalidSystemDiskCategory.ValueNotSupported", "Not with this disk.");
        }
        ObjectNode body = yes();
        ObjectNode price = body.putObject("PriceInfo").putObject("Price");
        price.put("OriginalPrice", 35.4)
                .put("TradePrice", 35.015)
                .put("DiscountPrice", 0.385)
                .put("Currency", "CNY");
        ArrayNode details = price.putObject("DetailInfos").putArray("ResourcePriceModel");
        details.addObject().put("Resource", "instanceType").put("TradePrice", 34.74);
        details.addObject().put("Resource", "systemDisk").put("TradePrice", 0.275);
        return Reply.json(200, body.toString());
    }

    private Reply bill(Map<String, String> query) {
        ObjectNode body =
                yes().put("Code", "Success").put("Message", "Successful!").put("Success", true);
        ObjectNode data = body.putObject("Data").put("BillingCycle", query.get("BillingCycle"));
        ArrayNode items = data.putArray("Items");
        if (query.get("BillingCycle").equals("2026-05")) {
            boolean second = query.containsKey("NextToken");
            items.addObject()
                    .put("InstanceID", query.get("InstanceID"))
                    .put("PretaxAmount", second ? 0.31 : 34.74)
                    .put("Currency", "CNY");
            data.put("NextToken", second ? "" : "more");
        }
        return Reply.json(200, body.toString());
    }
}
