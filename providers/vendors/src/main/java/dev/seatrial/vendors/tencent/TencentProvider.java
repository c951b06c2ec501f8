package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import dev.seatrial.vendors.tencent.TencentApi.Answer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.joda.money.Money;

/**
 * Pay-as-you-go instances of Tencent Cloud CVM. Ids of instances carry their region, {@code ap-guangzhou/ins-…}: the vendor's own
 * are known in their region only.
 */
final class TencentProvider implements Provider, AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Capabilities CAPABILITIES = new Capabilities(
            true,
            // How late the vendor may act is unverified.
            Optional.of(new Capabilities.ServerDeadline(TencentMapper.FLOOR, Duration.ofMinutes(5))),
            false,
            true,
            true,
            false,
            false,
            false,
            // Unverified; an accepted create shows up within seconds.
            Duration.ofMinutes(2),
            Duration.ofMinutes(5),
            Duration.ofMinutes(15),
            Duration.ofSeconds(5),
            "its security group must let SSH in (port 22); outgoing traffic is billed by the gigabyte, which no price shown"
                    + " here holds; the price is not shown on the instance; RSA keys are registered, others travel in the"
                    + " start-up script");

    private final TencentSettings settings;
    private final TencentApi cvm;
    private final TencentApi billing;
    private final TencentApi vpc;
    private final TencentApi cbs;
    private final TencentCatalogue catalogue;
    private final TencentLeftovers leftovers;

    TencentProvider(TencentSettings settings) {
        this.settings = settings;
        this.cvm = api("cvm", "2017-03-12");
        this.billing = api("billing", "2018-07-09");
        this.vpc = api("vpc", "2017-03-12");
        this.cbs = api("cbs", "2017-03-12");
        this.catalogue = new TencentCatalogue(settings, cvm);
        this.leftovers = new TencentLeftovers(cvm, vpc, cbs);
    }

    private TencentApi api(String service, String version) {
        return new TencentApi(
                settings.id().value(),
                service,
                version,
                settings.endpoint(service),
                settings.credentials(),
                settings.clock());
    }

    @Override
    public ProviderId id() {
        return settings.id();
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    /**
     * Lists one instance of each region. Of the other rights only the one to create can be asked for, by a dry run that names nothing
     * to create; the vendor has no dry run of a release. That it looks at rights before it looks at parameters is
     * unverified; where it does not, no missing right is found and none is claimed.
     */
    @Override
    public Account verify() {
        for (String region : settings.regions()) {
            TencentPages.items(
                    cvm.read(
                            Lane.READ,
                            region,
                            "DescribeInstances",
                            TencentMapper.object().put("Limit", 1)),
                    "InstanceSet");
        }
        String first = settings.regions().get(0);
        Answer dry =
                cvm.ask(Lane.READ, first, "RunInstances", TencentMapper.object().put("DryRun", true));
        boolean forbidden = TencentErrors.exception(dry).kind() == ErrorKind.PERMISSION;
        return new Account(
                String.join(", ", settings.regions()), forbidden ? Set.of("create") : Set.of(), cvm.clockSkew());
    }

    @Override
    public List<Offer> offers(OfferQuery query) {
        List<Offer> all = new ArrayList<>();
        for (String region : settings.regions()) {
            if (query.region().map(region::equals).orElse(true)) {
                all.addAll(catalogue.offers(region, query));
            }
        }
        return all;
    }

    @Override
    public List<Image> images(OfferId offer) {
        TencentOffer place = TencentOffer.parse(offer);
        TencentPlace.known(place.region());
        return catalogue.images(place);
    }

    @Override
    public KeyRef ensureSshKey(LeaseName name, PublicKey key) {
        return TencentKeys.ensure(cvm, settings.regions(), name, key);
    }

    @Override
    public CreateOutcome create(CreateRequest request) {
        TencentOffer offer;
        ObjectNode parameters;
        try {
            offer = TencentOffer.parse(request.offer());
            TencentPlace.known(offer.region());
            parameters = TencentRunInstances.parameters(settings, catalogue, request, offer);
        } catch (ProviderException e) {
            // These were reads: nothing that creates has been sent yet.
            return new CreateOutcome.NotCreated(e.kind(), e.words(), Optional.empty(), e.retryAfter());
        }
        try {
            Answer answer = cvm.send(Lane.CREATE, offer.region(), "RunInstances", parameters);
            Optional<InstanceId> made = made(answer, offer.region());
            boolean yes = answer.reply().ok()
                    && made.isPresent()
                    && answer.reply()
                            .json()
                            .filter(body -> body.path("Response").has("Error"))
                            .isEmpty();
            return yes ? new CreateOutcome.Created(made.get()) : TencentErrors.create(answer, made);
        } catch (NoAnswerException e) {
            return e.mayHaveBeenSent()
                    ? new CreateOutcome.Unknown(e.why(), Optional.empty())
                    : new CreateOutcome.NotCreated(e.kind(), e.why(), Optional.empty(), e.retryAfter());
        }
    }

    private static Optional<InstanceId> made(Answer answer, String region) {
        return answer.reply()
                .json()
                .map(body -> body.path("Response").path("InstanceIdSet").path(0))
                .map(TencentMapper::text)
                .filter(id -> !id.isBlank() && id.length() <= 100)
                .map(id -> new InstanceId(region + "/" + id));
    }

    @Override
    public Optional<Instance> get(InstanceId instance) {
        TencentPlace place = TencentPlace.of(instance);
        for (String region : place.regions(settings)) {
            Optional<Instance> found = find(region, place.vendorId());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /**
     * To a question for one id the vendor says that none matches, with a count of 0, or that there is no such instance. To a user who
     * may not ask it says that, so that neither is mistaken for the other.
     */
    private Optional<Instance> find(String region, String vendorId) {
        Answer answer =
                cvm.ask(Lane.SAFETY, region, "DescribeInstances", TencentLeftovers.ids("InstanceIds", vendorId));
        if (TencentErrors.positivelyGone(answer)) {
            return Optional.empty();
        }
        JsonNode document = TencentErrors.document(answer);
        for (JsonNode item : TencentPages.items(document, "InstanceSet")) {
            if (TencentMapper.text(item.path("InstanceId")).equals(vendorId)) {
                return Optional.of(TencentMapper.instance(item, region));
            }
        }
        JsonNode count = document.path("TotalCount");
        if (!count.isIntegralNumber() || count.asInt() != 0) {
            throw TencentErrors.odd(answer, "other instances than were asked for");
        }
        return Optional.empty();
    }

    @Override
    public List<Instance> list() {
        List<Instance> all = new ArrayList<>();
        for (String region : settings.regions()) {
            TencentPages.all(
                            cvm,
                            Lane.SAFETY,
                            region,
                            "DescribeInstances",
                            TencentMapper.object(),
                            "InstanceSet",
                            "InstanceId")
                    .forEach(item -> all.add(TencentMapper.instance(item, region)));
        }
        return all;
    }

    /**
     * An elastic address is released with it, which the vendor does not do by itself. Some calls are refused for an instance
     * with a timer; whether this is one of them is unverified. If it is, the timer goes first, and comes back when the
     * release is not taken all the same.
     */
    @Override
    public ReleaseOutcome release(InstanceId instance) {
        TencentPlace place = TencentPlace.of(instance);
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
            Answer answer = terminate(region, vendorId);
            if (!TencentErrors.refusedForItsTimer(answer)) {
                return outcome(answer);
            }
            return releaseTimed(region, vendorId);
        } catch (NoAnswerException e) {
            return new ReleaseOutcome.RetryLater(e.why(), e.retryAfter().orElse(SOON));
        } catch (ProviderException e) {
            return new ReleaseOutcome.RetryLater(e.words(), e.retryAfter().orElse(SOON));
        }
    }

    private ReleaseOutcome releaseTimed(String region, String vendorId) throws NoAnswerException {
        Optional<Instant> timer = TencentTimers.disarm(cvm, region, vendorId);
        boolean done = false;
        try {
            ReleaseOutcome outcome = outcome(terminate(region, vendorId));
            done = outcome instanceof ReleaseOutcome.Accepted || outcome instanceof ReleaseOutcome.AlreadyGone;
            return outcome;
        } finally {
            if (!done && timer.isPresent()) {
                Instant again =
                        TencentMapper.actionTime(timer.get(), settings.clock().instant());
                TencentTimers.arm(cvm, region, vendorId, again);
            }
        }
    }

    private Answer terminate(String region, String vendorId) throws NoAnswerException {
        ObjectNode body = TencentLeftovers.ids("InstanceIds", vendorId).put("ReleaseAddress", true);
        return cvm.send(Lane.SAFETY, region, "TerminateInstances", body);
    }

    private static ReleaseOutcome outcome(Answer answer) {
        boolean accepted = answer.reply().ok()
                && answer.reply()
                        .json()
                        .map(document -> document.path("Response"))
                        .filter(response -> response.path("RequestId").isTextual() && !response.has("Error"))
                        .isPresent();
        return accepted ? new ReleaseOutcome.Accepted() : TencentErrors.release(answer);
    }

    @Override
    public DeadlineOutcome armDeadline(InstanceId instance, Instant at) {
        TencentPlace place = TencentPlace.of(instance);
        Instant wanted = TencentMapper.actionTime(at, settings.clock().instant());
        try {
            for (String region : place.regions(settings)) {
                if (find(region, place.vendorId()).isPresent()) {
                    return TencentTimers.arm(cvm, region, place.vendorId(), wanted);
                }
            }
            return new DeadlineOutcome.Failed(ErrorKind.NOT_FOUND, "there is no instance " + instance);
        } catch (ProviderException e) {
            return new DeadlineOutcome.Failed(e.kind(), e.words());
        }
    }

    @Override
    public List<DependentResource> dependentResources() {
        List<DependentResource> ours = new ArrayList<>();
        settings.regions().forEach(region -> ours.addAll(leftovers.of(region)));
        return ours;
    }

    @Override
    public void release(DependentResource resource) {
        TencentPlace place = TencentPlace.of(new InstanceId(resource.id()));
        for (String region : place.regions(settings)) {
            leftovers.release(region, resource.kind(), place.vendorId());
        }
    }

    /** What can be spent, told in hundredths; empty when the key may not see it. */
    @Override
    public Optional<Money> balance() {
        JsonNode document;
        try {
            document = billing.read(Lane.READ, "", "DescribeAccountBalance", TencentMapper.object());
        } catch (ProviderException e) {
            if (e.kind() == ErrorKind.PERMISSION) {
                return Optional.empty();
            }
            throw e;
        }
        JsonNode real = document.path("RealBalance");
        return Optional.of(TencentMapper.amount(real.isNumber() ? real : document.path("Balance"), settings.currency())
                .orElseThrow(() -> TencentMapper.odd("a balance that is none"))
                .multipliedBy(new BigDecimal("0.01"))
                .toMoney(RoundingMode.FLOOR));
    }

    /** The vendor's bills are by the month and a day late. */
    @Override
    public Optional<Charge> cost(InstanceId instance) {
        return Optional.empty();
    }

    @Override
    public void close() {
        List.of(cvm, billing, vpc, cbs).forEach(TencentApi::close);
    }

    /** Shows no credentials. */
    @Override
    public String toString() {
        return "TencentProvider[" + settings.id() + "]";
    }
}
