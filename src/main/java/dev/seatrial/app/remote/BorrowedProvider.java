package dev.seatrial.app.remote;

import dev.seatrial.provider.Account;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
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
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.provider.SshEndpoint;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.joda.money.BigMoney;
import org.joda.money.Money;

/**
 * A machine that was handed over, or this one. Nothing is created or deleted: a lease is the time in which we use it. Our
 * files and processes are removed by {@link HandedOverCleaner}.
 */
public final class BorrowedProvider implements Provider {
    private static final String ID_PREFIX = "handed-over-";

    private final ProviderId id;
    private final Target target;
    private final Machines machines;
    private final HandedOver records;
    private final BigMoney hourly;

    /**
     * @param target the machine as configured
     * @param records where its leases are noted
     * @param hourly price of the whole machine for one hour, zero when nothing is stated; a plan's price comes before it
     */
    public BorrowedProvider(ProviderId id, Target target, Machines machines, HandedOver records, BigMoney hourly) {
        this.id = id;
        this.target = target;
        this.machines = machines;
        this.records = records;
        this.hourly = hourly;
    }

    @Override
    public ProviderId id() {
        return id;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                true,
                Optional.empty(),
                false,
                false,
                false,
                false,
                true,
                false,
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(1),
                target instanceof LocalTarget ? "this machine" : "handed over; reached by SSH");
    }

    @Override
    public Account verify() {
        String lease = "verify"
                + Payload.sha256(id.value().getBytes(StandardCharsets.UTF_8)).substring(0, 12);
        try {
            machines.of(id.value(), lease, Optional.empty()).exec(Exec.of("echo", Duration.ofSeconds(10)));
            return new Account(label(), Set.of(), Optional.empty());
        } catch (MachineException e) {
            throw new ProviderException(kind(e), e.words(), Optional.empty(), e);
        } finally {
            machines.forget(lease);
        }
    }

    /** One offer. What the configuration leaves open is as the query wants it; the environment stage finds out. */
    @Override
    public List<Offer> offers(OfferQuery query) {
        String gpu = target.gpu().or(query::gpu).orElse("none");
        int gpus = target.gpus().orElse(query.gpuCount().orElse(gpu.equals("none") ? 0 : 1));
        Offer offer = new Offer(
                new OfferId(id.value()),
                id,
                query.region().orElse("-"),
                gpu,
                target.gpu().orElse("not stated"),
                gpus,
                Pricing.of(hourly, BillingIncrement.SECOND, Duration.ZERO),
                "billed for the time in use",
                "not applicable: the machine is not ours to stop",
                Availability.YES);
        return query.matches(offer) ? List.of(offer) : List.of();
    }

    @Override
    public List<Image> images(OfferId offer) {
        return List.of();
    }

    /** Nothing is put on the machine: its own login is used. */
    @Override
    public KeyRef ensureSshKey(LeaseName name, PublicKey key) {
        return new KeyRef("the machine's own");
    }

    @Override
    public CreateOutcome create(CreateRequest request) {
        try {
            records.add(id.value(), request.name());
            return new CreateOutcome.Created(
                    new InstanceId(ID_PREFIX + request.name().lease()));
        } catch (UncheckedIOException e) {
            return new CreateOutcome.NotCreated(ErrorKind.CONFLICT_STATE, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Optional<Instance> get(InstanceId instance) {
        String value = instance.value();
        return value.startsWith(ID_PREFIX)
                ? read(() -> records.find(id.value(), value.substring(ID_PREFIX.length())))
                        .map(this::inUse)
                : Optional.empty();
    }

    @Override
    public List<Instance> list() {
        return read(() -> records.all(id.value())).stream().map(this::inUse).toList();
    }

    /** Ends the use; the machine itself stays. */
    @Override
    public ReleaseOutcome release(InstanceId instance) {
        Optional<Instance> found = get(instance);
        if (found.isEmpty()) {
            return new ReleaseOutcome.AlreadyGone();
        }
        return read(() -> {
            records.remove(id.value(), instance.value().substring(ID_PREFIX.length()));
            return new ReleaseOutcome.Accepted();
        });
    }

    @Override
    public DeadlineOutcome armDeadline(InstanceId instance, Instant at) {
        return new DeadlineOutcome.Unsupported();
    }

    @Override
    public List<DependentResource> dependentResources() {
        return List.of();
    }

    @Override
    public void release(DependentResource resource) {
        // There are none.
    }

    @Override
    public Optional<Money> balance() {
        return Optional.empty();
    }

    @Override
    public Optional<Charge> cost(InstanceId instance) {
        return Optional.empty();
    }

    private Instance inUse(LeaseName name) {
        SshEndpoint endpoint = target instanceof SshTarget ssh
                ? new SshEndpoint(
                        ssh.login().host(), ssh.login().port(), ssh.login().user())
                : new SshEndpoint("localhost", 22, System.getProperty("user.name"));
        return new Instance(
                new InstanceId(ID_PREFIX + name.lease()),
                name.text(),
                InstanceState.RUNNING,
                "in use",
                Optional.of(endpoint),
                Optional.empty(),
                Optional.empty());
    }

    private String label() {
        return target instanceof SshTarget ssh ? ssh.login().toString() : "this machine";
    }

    private static <T> T read(Supplier<T> read) {
        try {
            return read.get();
        } catch (UncheckedIOException e) {
            throw new ProviderException(
                    ErrorKind.VENDOR_UNAVAILABLE, String.valueOf(e.getMessage()), Optional.empty(), e);
        }
    }

    private static ErrorKind kind(MachineException e) {
        return switch (e.kind()) {
            case AUTH -> ErrorKind.AUTH;
            case HOST_KEY, LOCAL -> ErrorKind.INVALID_ARGUMENT;
            case PROTOCOL, UNUSABLE -> ErrorKind.PROTOCOL;
            case UNREACHABLE, TIMEOUT -> ErrorKind.VENDOR_UNAVAILABLE;
        };
    }
}
