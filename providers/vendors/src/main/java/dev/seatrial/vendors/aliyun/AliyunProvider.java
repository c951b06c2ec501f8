package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Account;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Charge;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.DeadlineOutcome;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Image;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.aliyun.AliyunApi.Answer;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.joda.money.Money;

/**
 * Pay-as-you-go instances of Alibaba Cloud ECS. Ids of instances carry their region, {@code cn-beijing/i-2ze…}: the vendor's
 * own are known in their region only.
 */
final class AliyunProvider implements Provider, AutoCloseable {
    private static final int PAGE = 100;
    private static final int KEYS_PAGE = 50;
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Capabilities CAPABILITIES = new Capabilities(
            true,
            // The vendor releases "at" the time; that it may be minutes late, unbilled, is a reseller's word.
            Optional.of(new Capabilities.ServerDeadline(AliyunMapper.FLOOR, Duration.ofMinutes(5))),
            false,
            true,
            true,
            true,
            false,
            false,
            // Unverified; an accepted create shows up within seconds.
            Duration.ofMinutes(2),
            Duration.ofMinutes(5),
            Duration.ofMinutes(15),
            Duration.ofSeconds(5),
            "its security group must let SSH in (port 22); outgoing traffic is billed by the gigabyte, which no price shown"
                    + " here holds; the price is not shown on the instance; bills are a day late");

    private final AliyunSettings settings;
    private final AliyunNetworks networks;
    private final AliyunCatalogue catalogue;
    private final AliyunBilling billing;
    private final AliyunRights rights;
    private final Map<String, AliyunApi> regions = new ConcurrentHashMap<>();

    AliyunProvider(AliyunSettings settings) {
        this.settings = settings;
        this.networks = new AliyunNetworks(settings.vSwitches(), settings.securityGroups());
        this.catalogue = new AliyunCatalogue(settings);
        this.billing = new AliyunBilling(settings);
        this.rights = new AliyunRights(settings.clock());
    }

    private AliyunApi api(String region) {
        return regions.computeIfAbsent(
                region,
                r -> new AliyunApi(
                        settings.id().value(),
                        settings.endpoint(r),
                        "2014-05-26",
                        settings.credentials(),
                        settings.clock()));
    }

    @Override
    public ProviderId id() {
        return settings.id();
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Account verify() {
        String first = settings.regions().get(0);
        for (String region : settings.regions()) {
            mayList(region, Lane.READ);
        }
        return new Account(
                String.join(", ", settings.regions()),
                rights.missing(api(first), first),
                api(first).clockSkew());
    }

    /**
     * To a user who may not list, the vendor answers with an empty list; only a dry run tells the two apart (its help page of
     * DescribeInstances).
     */
    private void mayList(String region, Lane lane) {
        Answer answer = api(region)
                .get(lane, "DescribeInstances", Map.of("RegionId", region, "MaxResults", "10", "DryRun", "true"));
        if (!AliyunErrors.dryRunPassed(answer)) {
            throw answer.reply().ok()
                    ? AliyunErrors.odd(answer, "no outcome of a dry run")
                    : AliyunErrors.exception(answer);
        }
    }

    @Override
    public List<Offer> offers(OfferQuery query) {
        List<Offer> all = new ArrayList<>();
        for (String region : settings.regions()) {
            if (query.region().map(region::equals).orElse(true)) {
                all.addAll(catalogue.offers(api(region), region, query));
            }
        }
        return all;
    }

    @Override
    public List<Image> images(OfferId offer) {
        AliyunOffer place = AliyunOffer.parse(offer);
        return AliyunPages.numbered(
                        api(AliyunPlace.known(place.region())),
                        Lane.READ,
                        "DescribeImages",
                        Map.of(
                                "RegionId",
                                place.region(),
                                "InstanceType",
                                place.type(),
                                "OSType",
                                "linux",
                                "Status",
                                "Available"),
                        PAGE,
                        "Images",
                        "Image")
                .stream()
                .map(AliyunMapper::image)
                .toList();
    }

    /** Registers it in every region, since it is not said yet where it will be used. The vendor takes ECDSA keys. */
    @Override
    public KeyRef ensureSshKey(LeaseName name, PublicKey key) {
        for (String region : settings.regions()) {
            Answer answer;
            try {
                answer = api(region)
                        .post(
                                Lane.CREATE,
                                "ImportKeyPair",
                                Map.of(
                                        "RegionId", region,
                                        "KeyPairName", name.text(),
                                        "PublicKeyBody", key.line(),
                                        "Tag.1.Key", AliyunMapper.TAG,
                                        "Tag.1.Value", name.text()));
            } catch (NoAnswerException e) {
                throw e.asProviderException();
            }
            if (AliyunErrors.keyNameTaken(answer)) {
                mustBe(region, name, key);
            } else {
                AliyunErrors.document(answer);
            }
        }
        return new KeyRef(name.text());
    }

    private void mustBe(String region, LeaseName name, PublicKey key) {
        boolean same = AliyunPages.numbered(
                        api(region),
                        Lane.CREATE,
                        "DescribeKeyPairs",
                        Map.of("RegionId", region, "KeyPairName", name.text(), "IncludePublicKey", "true"),
                        KEYS_PAGE,
                        "KeyPairs",
                        "KeyPair")
                .stream()
                .filter(pair -> AliyunMapper.text(pair.path("KeyPairName")).equals(name.text()))
                .anyMatch(pair -> sameKey(AliyunMapper.text(pair.path("PublicKey")), key.line()));
        if (!same) {
            throw new ProviderException(
                    ErrorKind.INVALID_ARGUMENT,
                    "another key is registered under the name " + name.text() + " in " + region);
        }
    }

    /** By type and blob; the comment is anyone's. */
    private static boolean sameKey(String one, String other) {
        String[] a = one.strip().split("\\s+");
        String[] b = other.strip().split("\\s+");
        return a.length >= 2 && b.length >= 2 && a[0].equals(b[0]) && a[1].equals(b[1]);
    }

    @Override
    public CreateOutcome create(CreateRequest request) {
        AliyunOffer offer;
        Map<String, String> parameters;
        try {
            offer = AliyunOffer.parse(request.offer());
            parameters = AliyunRunInstances.parameters(
                    settings, request, offer, networks.find(api(AliyunPlace.known(offer.region())), offer));
        } catch (ProviderException e) {
            // These were reads: nothing that creates has been sent yet.
            return new CreateOutcome.NotCreated(e.kind(), e.words(), Optional.empty(), e.retryAfter());
        }
        try {
            Answer answer = api(offer.region()).post(Lane.CREATE, "RunInstances", parameters);
            Optional<InstanceId> made = made(answer, offer.region());
            boolean yes = answer.reply().ok()
                    && made.isPresent()
                    && answer.reply().json().filter(body -> body.has("Code")).isEmpty();
            return yes ? new CreateOutcome.Created(made.get()) : AliyunErrors.create(answer, made);
        } catch (NoAnswerException e) {
            return e.mayHaveBeenSent()
                    ? new CreateOutcome.Unknown(e.why(), Optional.empty())
                    : new CreateOutcome.NotCreated(e.kind(), e.why(), Optional.empty(), e.retryAfter());
        }
    }

    private static Optional<InstanceId> made(Answer answer, String region) {
        return answer.reply()
                .json()
                .map(body -> body.path("InstanceIdSets").path("InstanceIdSet").path(0))
                .map(AliyunMapper::text)
                .filter(id -> !id.isBlank() && id.length() <= 100)
                .map(id -> new InstanceId(region + "/" + id));
    }

    @Override
    public Optional<Instance> get(InstanceId instance) {
        AliyunPlace place = AliyunPlace.of(instance);
        for (String region : place.regions(settings)) {
            Optional<Instance> found = find(region, place.vendorId()).map(node -> AliyunMapper.instance(node, region));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /**
     * A filtered list that is empty proves nothing (see {@link #mayList}): the vendor must say of this one id that there is no
     * such instance, which DescribeInstanceAttribute does.
     */
    private Optional<JsonNode> find(String region, String vendorId) {
        String ids = "[\"" + vendorId + "\"]";
        JsonNode document = api(region)
                .read(
                        Lane.SAFETY,
                        "DescribeInstances",
                        Map.of("RegionId", region, "InstanceIds", ids, "MaxResults", "10"));
        for (JsonNode item : AliyunPages.items(document, "Instances", "Instance")) {
            if (AliyunMapper.text(item.path("InstanceId")).equals(vendorId)) {
                return Optional.of(item);
            }
        }
        Answer answer = api(region).get(Lane.SAFETY, "DescribeInstanceAttribute", Map.of("InstanceId", vendorId));
        if (AliyunErrors.positivelyGone(answer)) {
            return Optional.empty();
        }
        JsonNode attribute = AliyunErrors.document(answer);
        if (!AliyunMapper.text(attribute.path("InstanceId")).equals(vendorId)) {
            throw AliyunErrors.odd(answer, "another instance than was asked for");
        }
        return Optional.of(attribute);
    }

    @Override
    public List<Instance> list() {
        List<Instance> all = new ArrayList<>();
        for (String region : settings.regions()) {
            List<JsonNode> there = AliyunPages.byToken(
                    api(region),
                    Lane.SAFETY,
                    "DescribeInstances",
                    Map.of("RegionId", region),
                    PAGE,
                    "Instances",
                    "Instance");
            if (there.isEmpty()) {
                mayList(region, Lane.SAFETY);
            }
            Map<InstanceId, Instance> once = new LinkedHashMap<>();
            for (JsonNode item : there) {
                Instance instance = AliyunMapper.instance(item, region);
                once.putIfAbsent(instance.id(), instance);
            }
            all.addAll(once.values());
        }
        return all;
    }

    /** With force: without it the vendor deletes stopped instances only. */
    @Override
    public ReleaseOutcome release(InstanceId instance) {
        AliyunPlace place = AliyunPlace.of(instance);
        ReleaseOutcome outcome = new ReleaseOutcome.AlreadyGone();
        for (String region : place.regions(settings)) {
            outcome = release(region, place.vendorId());
            if (!(outcome instanceof ReleaseOutcome.AlreadyGone)) {
                return outcome;
            }
        }
        return outcome;
    }

    private ReleaseOutcome release(String region, String vendorId) {
        try {
            Answer answer =
                    api(region).post(Lane.SAFETY, "DeleteInstance", Map.of("InstanceId", vendorId, "Force", "true"));
            boolean accepted = answer.reply().ok()
                    && answer.reply()
                            .json()
                            .filter(body -> body.path("RequestId").isTextual() && !body.has("Code"))
                            .isPresent();
            return accepted ? new ReleaseOutcome.Accepted() : AliyunErrors.release(answer);
        } catch (NoAnswerException e) {
            return new ReleaseOutcome.RetryLater(e.why(), e.retryAfter().orElse(SOON));
        }
    }

    @Override
    public DeadlineOutcome armDeadline(InstanceId instance, Instant at) {
        AliyunPlace place = AliyunPlace.of(instance);
        try {
            for (String region : place.regions(settings)) {
                Optional<JsonNode> found = find(region, place.vendorId());
                if (found.isPresent()) {
                    return arm(region, place.vendorId(), found.get(), at);
                }
            }
            return new DeadlineOutcome.Failed(ErrorKind.NOT_FOUND, "there is no instance " + instance);
        } catch (NoAnswerException e) {
            return new DeadlineOutcome.Failed(e.kind(), e.why());
        } catch (ProviderException e) {
            return new DeadlineOutcome.Failed(e.kind(), e.words());
        }
    }

    private DeadlineOutcome arm(String region, String vendorId, JsonNode found, Instant at) throws NoAnswerException {
        Instant wanted = AliyunMapper.releaseTime(at, settings.clock().instant());
        String told = AliyunMapper.text(found.path("AutoReleaseTime"));
        Optional<Instant> now = AliyunMapper.time(found.path("AutoReleaseTime"));
        if (!found.has("AutoReleaseTime") || now.isEmpty() && !told.isBlank()) {
            // What holds now is not known, and a deadline is never moved away.
            return new DeadlineOutcome.Failed(
                    ErrorKind.CONFLICT_STATE,
                    "the vendor does not tell when it will release " + vendorId + ": " + told);
        }
        if (now.isPresent() && !now.get().isAfter(wanted)) {
            return new DeadlineOutcome.Armed(now.get());
        }
        AliyunErrors.document(api(region)
                .post(
                        Lane.SAFETY,
                        "ModifyInstanceAutoReleaseTime",
                        Map.of(
                                "RegionId", region,
                                "InstanceId", vendorId,
                                "AutoReleaseTime", AliyunMapper.time(wanted))));
        return new DeadlineOutcome.Armed(wanted);
    }

    @Override
    public List<DependentResource> dependentResources() {
        List<DependentResource> ours = new ArrayList<>();
        for (String region : settings.regions()) {
            ours.addAll(AliyunLeftovers.of(api(region), region));
        }
        return ours;
    }

    @Override
    public void release(DependentResource resource) {
        AliyunPlace place = AliyunPlace.of(new InstanceId(resource.id()));
        for (String region : place.regions(settings)) {
            AliyunLeftovers.release(api(region), region, resource.kind(), place.vendorId());
        }
    }

    @Override
    public Optional<Money> balance() {
        return billing.balance();
    }

    @Override
    public Optional<Charge> cost(InstanceId instance) {
        return billing.cost(AliyunPlace.of(instance).vendorId());
    }

    @Override
    public void close() {
        regions.values().forEach(AliyunApi::close);
        billing.close();
    }

    /** Shows no credentials. */
    @Override
    public String toString() {
        return "AliyunProvider[" + settings.id() + "]";
    }
}
