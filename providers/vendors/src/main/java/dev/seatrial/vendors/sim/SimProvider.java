package dev.seatrial.vendors.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import dev.seatrial.vendors.http.HttpCall;
import dev.seatrial.vendors.http.HttpReply;
import dev.seatrial.vendors.http.HttpSettings;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import dev.seatrial.vendors.http.VendorHttp;
import java.math.RoundingMode;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.joda.money.Money;

/** A simulated vendor, reached over HTTP like any other. */
public final class SimProvider implements Provider, AutoCloseable {
    private static final int MOST_PAGES = 2000;
    private static final Duration SOON = Duration.ofSeconds(5);

    private final ProviderId id;
    private final VendorHttp http;
    private final AtomicReference<Optional<SimTraits>> traits;

    /**
     * One whose traits are asked for when they are first needed. Until the vendor has been heard, {@link #capabilities()} are
     * {@link SimTraits#CAUTIOUS}.
     *
     * @param base address of the simulator
     * @param key its bearer key
     */
    public SimProvider(ProviderId id, URI base, String key) {
        this(id, HttpSettings.bearer(id.value(), base, key).with(HttpSettings.Limits.LOOPBACK), Optional.empty());
    }

    /** @param traits fixed traits; empty = ask the vendor */
    public SimProvider(ProviderId id, HttpSettings settings, Optional<SimTraits> traits) {
        this.id = id;
        this.http = new VendorHttp(settings);
        this.traits = new AtomicReference<>(traits);
    }

    @Override
    public ProviderId id() {
        return id;
    }

    @Override
    public Capabilities capabilities() {
        if (traits.get().isEmpty()) {
            try {
                account();
            } catch (ProviderException e) {
                // Whoever plans with cautious traits reserves more and waits longer, and nothing worse.
                return SimTraits.CAUTIOUS.capabilities();
            }
        }
        return traits.get().orElse(SimTraits.CAUTIOUS).capabilities();
    }

    @Override
    public Account verify() {
        JsonNode account = account();
        Set<String> missing = new HashSet<>(Set.of("create", "delete"));
        account.path("permissions").forEach(permission -> missing.remove(permission.asText()));
        return new Account(account.path("account").asText(""), missing, http.clockSkew());
    }

    private JsonNode account() {
        JsonNode account = document(http.read(HttpCall.get(Lane.READ, "v1/account")));
        if (!account.path("traits").isObject()) {
            throw SimMapper.odd("an account without traits");
        }
        // Traits stay as first heard: a lease is planned with them.
        traits.updateAndGet(known -> known.or(() -> Optional.of(SimTraits.read(account))));
        return account;
    }

    @Override
    public List<Offer> offers(OfferQuery query) {
        List<Offer> offers = new ArrayList<>();
        for (JsonNode item : array(document(http.read(HttpCall.get(Lane.READ, "v1/offers"))), "offers")) {
            Offer offer = SimMapper.offer(id, item);
            if (query.matches(offer)) {
                offers.add(offer);
            }
        }
        return offers;
    }

    @Override
    public List<Image> images(OfferId offer) {
        HttpCall call = HttpCall.get(Lane.READ, "v1/images").with("offer", offer.value());
        List<Image> images = new ArrayList<>();
        array(document(http.read(call)), "images").forEach(item -> images.add(SimMapper.image(item)));
        return images;
    }

    @Override
    public KeyRef ensureSshKey(LeaseName name, PublicKey key) {
        ObjectNode body = object().put("name", name.text()).put("publicKey", key.line());
        HttpReply reply = http.read(HttpCall.post(Lane.CREATE, "v1/keys", body.toString()));
        if (SimErrors.keyNameTaken(reply)) {
            throw new ProviderException(
                    ErrorKind.INVALID_ARGUMENT, "another key is registered under the name " + name.text());
        }
        String keyId = document(reply).path("id").asText("");
        if (keyId.isBlank()) {
            throw SimMapper.odd("a key without an id");
        }
        return new KeyRef(keyId);
    }

    @Override
    public CreateOutcome create(CreateRequest request) {
        ObjectNode body = object().put("name", request.name().text())
                .put("token", request.token())
                .put("offer", request.offer().value())
                .put("keyId", request.key().value());
        request.image().ifPresent(image -> body.put("image", image));
        request.startupData().ifPresent(data -> body.put("userData", data));
        body.put("deleteAt", request.deadline().toString());
        try {
            HttpReply reply = http.send(HttpCall.post(Lane.CREATE, "v1/instances", body.toString()));
            boolean error = reply.json().filter(node -> node.has("error")).isPresent();
            Optional<InstanceId> made = SimErrors.id(reply);
            return reply.ok() && !error && made.isPresent()
                    ? new CreateOutcome.Created(made.get())
                    : SimErrors.create(reply);
        } catch (NoAnswerException e) {
            return e.mayHaveBeenSent()
                    ? new CreateOutcome.Unknown(e.why(), Optional.empty())
                    : new CreateOutcome.NotCreated(e.kind(), e.why(), Optional.empty(), e.retryAfter());
        }
    }

    @Override
    public Optional<Instance> get(InstanceId instance) {
        HttpReply reply = http.read(HttpCall.get(Lane.SAFETY, path(instance, "")));
        if (SimErrors.positivelyGone(reply)) {
            return Optional.empty();
        }
        Instance found = SimMapper.instance(document(reply));
        if (!found.id().equals(instance)) {
            throw SimMapper.odd("instance " + found.id() + " when asked for " + instance);
        }
        return Optional.of(found);
    }

    @Override
    public List<Instance> list() {
        Map<InstanceId, Instance> all = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        HttpCall page = HttpCall.get(Lane.SAFETY, "v1/instances");
        for (int pages = 0; pages < MOST_PAGES; pages++) {
            JsonNode document = document(http.read(page));
            JsonNode next = document.path("next");
            for (JsonNode item : array(document, "instances")) {
                Instance instance = SimMapper.instance(item);
                all.putIfAbsent(instance.id(), instance);
            }
            if (next.isNull()) {
                return List.copyOf(all.values());
            }
            if (!next.isTextual() || next.asText().isEmpty() || !seen.add(next.asText())) {
                throw SimMapper.odd("a list that does not say whether there is more");
            }
            page = HttpCall.get(Lane.SAFETY, "v1/instances").with("cursor", next.asText());
        }
        throw SimMapper.odd("a list that never ends");
    }

    @Override
    public ReleaseOutcome release(InstanceId instance) {
        try {
            HttpReply reply = http.send(HttpCall.delete(Lane.SAFETY, path(instance, "")));
            boolean accepted = reply.ok()
                    && (reply.empty()
                            ? reply.status() == 202 || reply.status() == 204
                            : reply.json()
                                    .filter(node -> node.isObject() && !node.has("error"))
                                    .isPresent());
            return accepted ? new ReleaseOutcome.Accepted() : SimErrors.release(reply);
        } catch (NoAnswerException e) {
            return new ReleaseOutcome.RetryLater(e.why(), e.retryAfter().orElse(SOON));
        }
    }

    @Override
    public DeadlineOutcome armDeadline(InstanceId instance, Instant at) {
        if (traits.get().filter(known -> known.deadline().isEmpty()).isPresent()) {
            return new DeadlineOutcome.Unsupported();
        }
        ObjectNode body = object().put("deleteAt", at.toString());
        try {
            HttpReply reply = http.send(HttpCall.put(Lane.SAFETY, path(instance, "/deadline"), body.toString()));
            if (SimErrors.unsupported(reply)) {
                return new DeadlineOutcome.Unsupported();
            }
            return new DeadlineOutcome.Armed(SimMapper.instant(document(reply).path("deleteAt"))
                    .orElseThrow(() -> SimMapper.odd("a deadline without a time")));
        } catch (NoAnswerException e) {
            return new DeadlineOutcome.Failed(e.kind(), e.why());
        } catch (ProviderException e) {
            return new DeadlineOutcome.Failed(e.kind(), e.words());
        }
    }

    @Override
    public List<DependentResource> dependentResources() {
        List<DependentResource> ours = new ArrayList<>();
        for (JsonNode key : array(document(http.read(HttpCall.get(Lane.SAFETY, "v1/keys"))), "keys")) {
            String name = key.path("name").asText("");
            if (LeaseName.parse(name).isPresent()) {
                ours.add(new DependentResource("ssh-key", key.path("id").asText(""), name, false));
            }
        }
        return ours;
    }

    @Override
    public void release(DependentResource resource) {
        HttpReply reply = http.read(HttpCall.delete(Lane.SAFETY, "v1/keys/" + encoded(resource.id())));
        if (!reply.ok() && !SimErrors.positivelyGone(reply)) {
            throw SimErrors.exception(reply);
        }
    }

    @Override
    public Optional<Money> balance() {
        HttpReply reply = http.read(HttpCall.get(Lane.READ, "v1/balance"));
        return SimErrors.unsupported(reply)
                ? Optional.empty()
                : Optional.of(SimMapper.money(document(reply), "balance").toMoney(RoundingMode.FLOOR));
    }

    @Override
    public Optional<Charge> cost(InstanceId instance) {
        HttpReply reply = http.read(HttpCall.get(Lane.READ, path(instance, "/cost")));
        if (SimErrors.unsupported(reply)) {
            return Optional.empty();
        }
        JsonNode document = document(reply);
        return Optional.of(new Charge(
                SimMapper.money(document, "amount"), document.path("complete").asBoolean(false)));
    }

    /** The document of an answer that says yes, or the vendor's error. */
    private static JsonNode document(HttpReply reply) {
        if (!reply.ok()) {
            throw SimErrors.exception(reply);
        }
        JsonNode document = reply.object();
        if (document.has("error")) {
            throw SimErrors.exception(reply);
        }
        return document;
    }

    private static JsonNode array(JsonNode document, String name) {
        JsonNode items = document.path(name);
        if (!items.isArray()) {
            throw SimMapper.odd("no list of " + name);
        }
        return items;
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static String path(InstanceId instance, String more) {
        return "v1/instances/" + encoded(instance.value()) + more;
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        http.close();
    }
}
