package dev.seatrial.app.lease;

import dev.seatrial.app.provider.Providers;
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
import dev.seatrial.provider.InstanceState;
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
import dev.seatrial.provider.SshEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.joda.money.BigMoney;
import org.joda.money.Money;

/** A vendor that does as a test says: what exists, what it shows of that, and how it answers. */
public final class ScriptedVendor implements Provider {
    public static final ProviderId ID = new ProviderId("vendor");
    public static final Duration SETTLE = Duration.ofSeconds(30);

    /** What exists. */
    public final Map<InstanceId, Instance> instances = Collections.synchronizedMap(new LinkedHashMap<>());
    /** What exists and no read shows. */
    public final Set<InstanceId> hidden = new LinkedHashSet<>();
    /** Calls that were sent, e.g. {@code release i-1}. */
    public final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    /** Answers to the next releases; without one it is accepted and done. */
    public final Deque<ReleaseOutcome> releases = new ArrayDeque<>();

    public final List<DependentResource> leftovers = new ArrayList<>();

    /** Why nothing can be read or released, if so. */
    public Optional<ProviderException> away = Optional.empty();

    public Optional<Duration> skew = Optional.empty();
    public Optional<Charge> charge = Optional.empty();
    public boolean borrowed;
    public Function<CreateRequest, CreateOutcome> creates =
            request -> new CreateOutcome.Created(add("i-1", request.name().text()));

    /** Makes an instance exist and run. */
    public InstanceId add(String id, String name) {
        return add(id, name, Optional.empty());
    }

    public InstanceId add(String id, String name, Optional<Instant> createdAt) {
        InstanceId made = new InstanceId(id);
        instances.put(
                made,
                new Instance(
                        made,
                        name,
                        InstanceState.RUNNING,
                        "running",
                        Optional.of(new SshEndpoint("127.0.0.1", 22, "root")),
                        Optional.empty(),
                        createdAt));
        return made;
    }

    public List<String> sent(String operation) {
        return calls.stream().filter(c -> c.startsWith(operation)).toList();
    }

    /** The one account there is. */
    public Providers asProviders() {
        return new Providers() {
            @Override
            public List<ProviderId> names() {
                return List.of(ID);
            }

            @Override
            public Provider get(ProviderId id) {
                return ScriptedVendor.this;
            }

            @Override
            public String kind(ProviderId id) {
                return "scripted";
            }
        };
    }

    @Override
    public ProviderId id() {
        return ID;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                false,
                Optional.empty(),
                false,
                true,
                false,
                charge.isPresent(),
                borrowed,
                true,
                SETTLE,
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(2),
                "");
    }

    @Override
    public Account verify() {
        reached();
        return new Account("scripted", Set.of(), skew);
    }

    @Override
    public List<Offer> offers(OfferQuery query) {
        throw new ProviderException(ErrorKind.NOT_FOUND, "no offers here");
    }

    @Override
    public List<Image> images(OfferId offer) {
        return List.of();
    }

    @Override
    public KeyRef ensureSshKey(LeaseName name, PublicKey key) {
        return new KeyRef("key");
    }

    @Override
    public CreateOutcome create(CreateRequest request) {
        calls.add("create " + request.name().text() + " " + request.token());
        return creates.apply(request);
    }

    @Override
    public Optional<Instance> get(InstanceId id) {
        reached();
        return hidden.contains(id) ? Optional.empty() : Optional.ofNullable(instances.get(id));
    }

    @Override
    public List<Instance> list() {
        reached();
        calls.add("list");
        return instances.values().stream().filter(i -> !hidden.contains(i.id())).toList();
    }

    @Override
    public ReleaseOutcome release(InstanceId id) {
        calls.add("release " + id);
        reached();
        ReleaseOutcome answer = releases.poll();
        if (answer == null) {
            return instances.remove(id) == null ? new ReleaseOutcome.AlreadyGone() : new ReleaseOutcome.Accepted();
        }
        return answer;
    }

    @Override
    public DeadlineOutcome armDeadline(InstanceId id, Instant at) {
        return new DeadlineOutcome.Unsupported();
    }

    @Override
    public List<DependentResource> dependentResources() {
        reached();
        return List.copyOf(leftovers);
    }

    @Override
    public void release(DependentResource resource) {
        calls.add("remove " + resource.id());
        leftovers.remove(resource);
    }

    @Override
    public Optional<Money> balance() {
        return Optional.empty();
    }

    @Override
    public Optional<Charge> cost(InstanceId id) {
        return charge;
    }

    static Charge charge(String amount, boolean complete) {
        return new Charge(BigMoney.parse("CNY " + amount), complete);
    }

    private void reached() {
        if (away.isPresent()) {
            throw away.get();
        }
    }
}
