package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.vendors.http.HttpCall;
import dev.seatrial.vendors.http.HttpReply;
import dev.seatrial.vendors.http.HttpSettings;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import dev.seatrial.vendors.http.VendorHttp;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** One service of the vendor, in all regions: signs calls and sends each once. Everything is a POST, reads too. Thread-safe. */
final class TencentApi implements AutoCloseable {
    /** The vendor permits 10 a second of most actions; both lanes together stay there. */
    private static final HttpSettings.Limits PACE = new HttpSettings.Limits(6, 4, 16, Duration.ofSeconds(30));
    /** From here on the clocks are apart: within it, the second of a Date header and the way may be all there is to it. */
    private static final Duration APART = Duration.ofSeconds(60);

    private final String service;
    private final String version;
    private final String host;
    private final Credentials credentials;
    private final InstantSource clock;
    private final VendorHttp http;

    /**
     * What calls are signed with, asked anew for every call.
     *
     * @param token of temporary credentials
     */
    record Credentials(Supplier<String> secretId, Supplier<String> secretKey, Supplier<Optional<String>> token) {
        /** Never shows what it holds. */
        @Override
        public String toString() {
            return "Credentials[***]";
        }
    }

    TencentApi(String account, String service, String version, URI base, Credentials credentials, InstantSource clock) {
        this.service = service;
        this.version = version;
        this.host = base.getPort() < 0 ? base.getHost() : base.getHost() + ":" + base.getPort();
        this.credentials = credentials;
        this.clock = clock;
        boolean here = base.getHost().equals("127.0.0.1") || base.getHost().equals("localhost");
        this.http = new VendorHttp(new HttpSettings(
                account,
                base,
                Map.of(),
                List.of(),
                here ? HttpSettings.Limits.LOOPBACK : PACE,
                HttpSettings.Times.DEFAULT,
                clock.withZone(ZoneOffset.UTC)));
    }

    /** An answer, and what must be known to tell of it. */
    record Answer(String action, HttpReply reply, Instant signedAt, Optional<Duration> skew) {}

    /** The document of a call that says yes, or the vendor's error. */
    JsonNode read(Lane lane, String region, String action, ObjectNode parameters) {
        return TencentErrors.document(ask(lane, region, action, parameters));
    }

    /** Sends a call on which nothing depends but the answer. */
    Answer ask(Lane lane, String region, String action, ObjectNode parameters) {
        try {
            return send(lane, region, action, parameters);
        } catch (NoAnswerException e) {
            throw e.asProviderException();
        }
    }

    /**
     * Sends a call. Nobody should rent by a wrong clock: deadlines would be wrong with it. What proves and ends a bill must work
     * all the same: such a call is signed with the vendor's time, and signed once more when only a refusal has told that
     * time.
     *
     * @param region empty for a service that has none
     */
    Answer send(Lane lane, String region, String action, ObjectNode parameters) throws NoAnswerException {
        Duration correction = lane == Lane.SAFETY ? apart().orElse(Duration.ZERO) : Duration.ZERO;
        String body = parameters.toString();
        Answer answer = once(lane, region, action, body, correction);
        if (lane == Lane.SAFETY && TencentErrors.clockRefused(answer.reply())) {
            Optional<Duration> learned = apart().filter(skew -> !skew.equals(correction));
            if (learned.isPresent()) {
                return once(lane, region, action, body, learned.get());
            }
        }
        return answer;
    }

    /** Vendor's clock minus ours. */
    Optional<Duration> clockSkew() {
        return http.clockSkew();
    }

    private Optional<Duration> apart() {
        return http.clockSkew().filter(skew -> skew.abs().compareTo(APART) > 0);
    }

    private Answer once(Lane lane, String region, String action, String body, Duration correction)
            throws NoAnswerException {
        Instant now = clock.instant();
        Instant at = now.plus(correction);
        String secretId = credentials.secretId().get();
        String secretKey = credentials.secretKey().get();
        TencentSignature signature = TencentSignature.of(secretId, secretKey, service, host, action, body, at);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", host);
        headers.put("X-TC-Action", action);
        headers.put("X-TC-Version", version);
        headers.put("X-TC-Timestamp", String.valueOf(at.getEpochSecond()));
        headers.put("Authorization", signature.authorization());
        if (!region.isEmpty()) {
            headers.put("X-TC-Region", region);
        }
        List<String> unspeakable = new ArrayList<>(List.of(secretKey, secretId, signature.signature()));
        credentials.token().get().ifPresent(token -> {
            headers.put("X-TC-Token", token);
            unspeakable.add(token);
        });
        HttpReply reply = http.send(HttpCall.post(lane, "", body).signed(headers, unspeakable));
        return new Answer(action, reply, now, http.clockSkew());
    }

    @Override
    public void close() {
        http.close();
    }
}
