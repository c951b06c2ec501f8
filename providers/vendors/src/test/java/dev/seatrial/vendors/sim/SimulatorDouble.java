package dev.seatrial.vendors.sim;

import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.simulator.MeterReading.MeteredInstance;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.vendors.TestClock;
import dev.seatrial.vendors.VendorDouble;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The simulator as the vendor of the contract. */
final class SimulatorDouble implements VendorDouble {
    private static final String KEY = "sim-secret-7f3a9c";
    private static final PublicKey PUBLIC_KEY =
            new PublicKey("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA== contract");

    private final TestClock clock = new TestClock(Instant.parse("2026-05-04T10:00:00Z"));
    private final Simulator simulator =
            Simulator.start(SimulatorOptions.of("steady").withClock(clock).withApiKey(KEY));
    private final Provider provider = provider(KEY);
    private final Map<Integer, CreateRequest> requests = new HashMap<>();

    @Override
    public Provider provider() {
        return provider;
    }

    @Override
    public Provider provider(String key) {
        return new SimProvider(new ProviderId("sim-contract"), simulator.baseUri(), key);
    }

    @Override
    public String key() {
        return KEY;
    }

    @Override
    public boolean can(Call call, Mishap mishap) {
        return true;
    }

    @Override
    public void on(Call call, int nth, Mishap mishap) {
        String what =
                switch (mishap) {
                    case DROPPED -> "'action': 'drop'";
                    case ANSWER_LOST -> "'action': 'drop', 'effect': 'before'";
                    case ERROR_AFTER_EFFECT ->
                        "'action': 'status', 'status': 500, 'effect': 'before', 'message': 'Bearer " + KEY + " failed'";
                    case UNAVAILABLE -> "'action': 'status', 'status': 503";
                    case HTML -> "'action': 'html'";
                    case EMPTY_BODY -> "'action': 'empty'";
                    case HALF_A_DOCUMENT -> "'action': 'truncate', 'effect': 'before'";
                    case CUT_CONNECTION -> "'action': 'cut', 'effect': 'before'";
                    case ERROR_UNDER_200 -> "'action': 'error-200', 'message': 'key " + KEY + " was seen'";
                    case ODD_SHAPE -> "'action': 'odd-shape'";
                    case THROTTLED ->
                        "'action': 'status', 'status': 429, 'code': 'rate_limited', 'retryAfterSeconds': 7";
                    case NO_CAPACITY ->
                        "'action': 'status', 'status': 409, 'code': 'no_capacity', 'message': 'No A100 left in sim-1.'";
                    case QUOTA ->
                        "'action': 'status', 'status': 403, 'code': 'quota_exceeded', 'message': 'Limit of 0 GPUs.'";
                    case NO_FUNDS -> "'action': 'status', 'status': 402, 'code': 'insufficient_funds'";
                    case HIDDEN -> "'action': 'hide', 'seconds': 10";
                    case REFUSED -> "'action': 'refuse', 'seconds': 10";
                    case UNKNOWN_WORD -> "'action': 'unknown-state'";
                    case DEARER -> "'action': 'price', 'factor': 2";
                    case NUMBER_IDS -> "'action': 'number-ids'";
                    case REFUSED_WITH_ID ->
                        "'action': 'status', 'status': 409, 'code': 'no_capacity', 'effect': 'before', 'withId': true";
                };
        simulator.fault("{\"operation\": \"" + call.name().toLowerCase(Locale.ROOT) + "\", \"call\": " + nth + ", "
                + what.replace('\'', '"') + "}");
    }

    @Override
    public CreateRequest request(int number) {
        return requests.computeIfAbsent(number, n -> {
            LeaseName name = new LeaseName("abcd", "lease" + n, clock.instant().plus(Duration.ofHours(1)));
            KeyRef key = provider.ensureSshKey(name, PUBLIC_KEY);
            return new CreateRequest(
                    name,
                    "token-" + n,
                    new OfferId("a100-x1"),
                    Optional.empty(),
                    key,
                    PUBLIC_KEY,
                    Optional.empty(),
                    name.deadline());
        });
    }

    @Override
    public int created() {
        return simulator.meter().created();
    }

    @Override
    public List<String> living() {
        return simulator.meter().instances().stream()
                .filter(i -> i.to().isEmpty())
                .map(MeteredInstance::name)
                .toList();
    }

    @Override
    public void advance(Duration time) {
        clock.advance(time);
    }

    @Override
    public int pageSize() {
        return simulator.profile().traits().pageSize();
    }

    @Override
    public void close() {
        simulator.close();
    }
}
