package dev.seatrial.simulator.cloud;

import dev.seatrial.simulator.MeterReading;
import dev.seatrial.simulator.MeterReading.MeteredInstance;
import dev.seatrial.simulator.Profile;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** The vendor's account: what exists, what it costs, what is refused. Thread-safe; no I/O. */
public final class Cloud {
    private final Profile profile;
    private final InstantSource clock;
    private final CurrencyUnit currency;
    private final Map<String, SimInstance> instances = new LinkedHashMap<>();
    private final Map<String, String> byToken = new LinkedHashMap<>();
    private final Map<String, Key> keys = new LinkedHashMap<>();
    private long nextId = 100_001;
    private long nextKey = 1;

    public Cloud(Profile profile, InstantSource clock) {
        this.profile = profile;
        this.clock = clock;
        this.currency = CurrencyUnit.of(profile.currency());
    }

    /** A registered SSH key. */
    public record Key(String id, String name, String publicKey) {}

    /**
     * A request to create.
     *
     * @param token empty = none
     * @param deleteAt wanted deletion by the vendor
     */
    public record CreateOrder(
            String name,
            String token,
            String offer,
            String image,
            String keyId,
            String userData,
            Optional<Instant> deleteAt) {}

    /**
     * An instance as reads show it.
     *
     * @param word the vendor's state word
     * @param loginShown whether its address is known
     * @param dead whether nothing listens there
     */
    public record View(
            SimInstance instance,
            String word,
            boolean loginShown,
            boolean dead,
            BigDecimal hourly,
            Optional<Instant> deleteAt) {}

    /** What an instance has cost. */
    public record Bill(BigMoney amount, boolean complete) {}

    static Duration seconds(double value) {
        return Duration.ofMillis(Math.round(value * 1000));
    }

    /** What the vendor takes this moment for. */
    public Instant vendorTime(Instant at) {
        return at.plus(seconds(profile.timing().clockSkew()));
    }

    public synchronized Key addKey(String name, String publicKey) {
        if (publicKey.isBlank() || publicKey.length() > 20_000 || publicKey.split("\\s+").length < 2) {
            throw new Refusal(400, "invalid_key", "publicKey must be one OpenSSH line.");
        }
        for (Key key : keys.values()) {
            if (key.name().equals(name)) {
                if (key.publicKey().equals(publicKey)) {
                    return key;
                }
                throw new Refusal(409, "key_name_taken", "Another key has the name " + name + ".");
            }
        }
        Key key = new Key("key-" + nextKey++, name, publicKey);
        keys.put(key.id(), key);
        return key;
    }

    public synchronized List<Key> keys() {
        return List.copyOf(keys.values());
    }

    public synchronized void deleteKey(String id) {
        if (keys.remove(id) == null) {
            throw new Refusal(404, "not_found", "There is no key " + id + ".");
        }
    }

    /**
     * Makes an instance, or the same one for the same token.
     *
     * @param at when it comes into being; later than now for a create that lands late
     */
    public synchronized SimInstance create(CreateOrder order, Instant at, FaultBook.Meeting meeting) {
        Instant now = clock.instant();
        require("create");
        if (profile.traits().token() && byToken.containsKey(order.token())) {
            SimInstance same = instance(byToken.get(order.token()));
            if (!same.order().equals(order)) {
                throw new Refusal(409, "token_reused", "This token was sent with another request.");
            }
            return same;
        }
        Profile.OfferSpec offer = profile.offers().stream()
                .filter(o -> o.id().equals(order.offer()))
                .findFirst()
                .orElseThrow(() -> new Refusal(400, "invalid_offer", "There is no offer " + order.offer() + "."));
        if (profile.images().stream().noneMatch(image -> image.id().equals(order.image()))) {
            throw new Refusal(400, "invalid_image", "There is no image " + order.image() + ".");
        }
        Key key = keys.get(order.keyId());
        if (key == null) {
            throw new Refusal(400, "invalid_key", "There is no key " + order.keyId() + ".");
        }
        List<SimInstance> living = instances.values().stream()
                .filter(i -> i.phase(now) != SimInstance.Phase.GONE)
                .toList();
        if (profile.traits().uniqueNames()
                && living.stream().anyMatch(i -> i.name().equals(order.name()))) {
            throw new Refusal(409, "name_taken", "An instance has the name " + order.name() + ".");
        }
        int gpus = living.stream().mapToInt(i -> i.offer().gpus()).sum() + offer.gpus();
        if (living.size() >= profile.quota().instances()
                || gpus > profile.quota().gpus()) {
            throw new Refusal(
                    403,
                    "quota_exceeded",
                    "This account may have " + profile.quota().instances() + " instances and "
                            + profile.quota().gpus() + " GPUs at once.");
        }
        if (left(now).signum() <= 0) {
            throw new Refusal(402, "insufficient_funds", "The balance is used up.");
        }
        SimInstance made =
                new SimInstance(String.valueOf(nextId++), order, offer, key.publicKey(), at, profile.timing(), meeting);
        order.deleteAt().filter(ignored -> profile.deadline().supported()).ifPresent(wanted -> arm(made, wanted, at));
        if (profile.traits().shutdownEndsBill()) {
            made.runStartUp(seconds(profile.timing().clockSkew()));
        }
        instances.put(made.id(), made);
        if (!order.token().isEmpty()) {
            byToken.put(order.token(), made.id());
        }
        return made;
    }

    /** One instance as reads show it. */
    public synchronized View get(String id) {
        return view(instance(id)).orElseThrow(() -> missing(id));
    }

    /** Every instance that reads show, oldest first. */
    public synchronized List<View> list() {
        List<View> shown = new ArrayList<>();
        instances.values().forEach(instance -> view(instance).ifPresent(shown::add));
        return shown;
    }

    /**
     * Takes, or refuses, a release.
     *
     * @param at when it takes effect
     */
    public synchronized void release(String id, Instant at, FaultBook.Meeting meeting) {
        Instant now = clock.instant();
        require("delete");
        SimInstance instance = instance(id);
        if (instance.phase(now) == SimInstance.Phase.GONE || instance.phase(now) == SimInstance.Phase.NOT_YET) {
            throw missing(id);
        }
        meeting.change(FaultRule.Action.REFUSE).ifPresent(rule -> instance.refuseReleaseUntil(now.plus(rule.span())));
        Optional<Duration> refused = instance.refused(now);
        if (refused.isPresent()) {
            throw new Refusal(
                    409,
                    "release_refused",
                    "The instance cannot be deleted now; please try again.",
                    OptionalLong.of(Math.max(1, refused.get().plusMillis(999).toSeconds())));
        }
        if (instance.phase(now) != SimInstance.Phase.DELETING) {
            meeting.change(FaultRule.Action.SLOW_RELEASE).ifPresent(rule -> instance.slowRelease(rule.span()));
        }
        instance.release(at);
    }

    /** Arms the vendor's deletion or moves it nearer, never away. Returns when it will be. */
    public synchronized Instant deadline(String id, Instant wanted) {
        if (!profile.deadline().supported()) {
            throw new Refusal(501, "unsupported", "This vendor has no deletion by date.");
        }
        Instant now = clock.instant();
        SimInstance instance = instance(id);
        if (instance.phase(now) == SimInstance.Phase.GONE) {
            throw missing(id);
        }
        if (instance.deleteAt().filter(at -> !at.isAfter(wanted)).isEmpty()) {
            arm(instance, wanted, now);
        }
        return instance.deleteAt().orElse(wanted);
    }

    private void arm(SimInstance instance, Instant wanted, Instant now) {
        Profile.Deadline rules = profile.deadline();
        Duration skew = seconds(profile.timing().clockSkew());
        Instant floor = now.plus(skew).plus(seconds(rules.floor()));
        Instant shown = wanted.isBefore(floor) ? floor : wanted;
        if (instance.deleteAt().filter(at -> at.isBefore(shown)).isPresent()) {
            return;
        }
        instance.armDeadline(
                shown,
                rules.ignored()
                        ? Optional.empty()
                        : Optional.of(shown.minus(skew).plus(seconds(rules.late()))));
    }

    /** Makes every living instance whose name or id holds this text disappear at once. */
    public synchronized void vanish(String match) {
        Instant now = clock.instant();
        instances.values().stream()
                .filter(i -> i.subject().contains(match) && i.phase(now) != SimInstance.Phase.GONE)
                .forEach(i -> i.vanish(now));
    }

    public synchronized BigMoney balance() {
        if (!profile.traits().balance()) {
            throw new Refusal(501, "unsupported", "This vendor does not tell balances.");
        }
        return BigMoney.of(currency, left(clock.instant()));
    }

    public synchronized Bill cost(String id) {
        if (!profile.traits().cost()) {
            throw new Refusal(501, "unsupported", "This vendor does not tell what an instance has cost.");
        }
        Instant now = clock.instant();
        SimInstance instance = instance(id);
        return new Bill(BigMoney.of(currency, owed(instance, now)), instance.phase(now) == SimInstance.Phase.GONE);
    }

    public synchronized MeterReading meter() {
        Instant now = clock.instant();
        List<MeteredInstance> metered = instances.values().stream()
                .filter(i -> i.phase(now) != SimInstance.Phase.NOT_YET)
                .map(i -> new MeteredInstance(
                        i.id(),
                        i.name(),
                        i.offer().gpus(),
                        i.phase(now).word(),
                        i.from(),
                        i.goneAt().filter(at -> !at.isAfter(now)),
                        BigMoney.of(currency, owed(i, now))))
                .toList();
        BigMoney total = metered.stream()
                .map(MeteredInstance::billed)
                .reduce(BigMoney.zero(currency).withScale(6), BigMoney::plus);
        List<String> running = metered.stream()
                .filter(i -> i.to().isEmpty())
                .map(MeteredInstance::id)
                .toList();
        return new MeterReading(now, metered.size(), running, total, metered);
    }

    /** Whether the machine is up, so that one can log in. */
    public synchronized boolean up(SimInstance instance) {
        return instance.phase(clock.instant()) == SimInstance.Phase.RUNNING && !instance.deadSsh();
    }

    /** Name and id of an instance, or the id alone when there is none. */
    public synchronized String subject(String id) {
        SimInstance instance = instances.get(id);
        return instance == null ? id : instance.subject();
    }

    private Optional<View> view(SimInstance instance) {
        Instant now = clock.instant();
        return instance.shown(now, seconds(profile.timing().terminatedShown()))
                .map(phase -> new View(
                        instance,
                        phase.word(),
                        phase == SimInstance.Phase.RUNNING,
                        !up(instance),
                        instance.hourly(),
                        instance.deleteAt()));
    }

    private SimInstance instance(String id) {
        SimInstance instance = instances.get(id);
        if (instance == null) {
            throw missing(id);
        }
        return instance;
    }

    private static Refusal missing(String id) {
        return new Refusal(404, "not_found", "There is no instance " + id + ".");
    }

    private void require(String permission) {
        if (!profile.permissions().contains(permission)) {
            throw new Refusal(403, "forbidden", "This key may not " + permission + " instances.");
        }
    }

    private BigDecimal left(Instant now) {
        BigDecimal owed = instances.values().stream().map(i -> owed(i, now)).reduce(BigDecimal.ZERO, BigDecimal::add);
        return profile.balance().subtract(owed).setScale(currency.getDecimalPlaces(), RoundingMode.FLOOR);
    }

    private static BigDecimal owed(SimInstance instance, Instant now) {
        return Meter.owed(instance.tariff(), instance.from(), instance.goneAt(), now);
    }
}
