package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.vendors.http.HttpCall;
import dev.seatrial.vendors.http.HttpReply;
import dev.seatrial.vendors.http.HttpSettings;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import dev.seatrial.vendors.http.Signing;
import dev.seatrial.vendors.http.VendorHttp;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** One endpoint of the vendor: signs calls and sends each once. Thread-safe. */
final class AliyunApi implements AutoCloseable {
    /**
     * The vendor counts per action and region and states no one figure; 500 a minute is given for DescribePrice. Both lanes
     * together stay below that.
     */
    private static final HttpSettings.Limits PACE = new HttpSettings.Limits(5, 3, 16, Duration.ofSeconds(30));
    /** From here on the clocks are apart: within it, the second of a Date header and the way may be all there is to it. */
    private static final Duration APART = Duration.ofSeconds(60);

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
    record Credentials(Supplier<String> keyId, Supplier<String> secret, Supplier<Optional<String>> token) {
        /** Never shows what it holds. */
        @Override
        public String toString() {
            return "Credentials[***]";
        }
    }

    AliyunApi(String account, URI base, String version, Credentials credentials, InstantSource clock) {
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

    /** Sends a call that only reads. */
    Answer get(Lane lane, String action, Map<String, String> parameters) {
        try {
            return send("GET", lane, action, parameters);
        } catch (NoAnswerException e) {
            throw e.asProviderException();
        }
    }

    /** The document of a read that says yes, or the vendor's error. */
    JsonNode read(Lane lane, String action, Map<String, String> parameters) {
        return AliyunErrors.document(get(lane, action, parameters));
    }

    /** Sends a call that changes something. */
    Answer post(Lane lane, String action, Map<String, String> parameters) throws NoAnswerException {
        return send("POST", lane, action, parameters);
    }

    /** Vendor's clock minus ours. */
    Optional<Duration> clockSkew() {
        return http.clockSkew();
    }

    /**
     * Nobody should rent by a wrong clock: deadlines would be wrong with it. What proves and ends a bill must work all the
     * same: such a call is signed with the vendor's time, and signed once more when only a refusal has told that time.
     */
    private Answer send(String method, Lane lane, String action, Map<String, String> parameters)
            throws NoAnswerException {
        Duration correction = lane == Lane.SAFETY ? apart().orElse(Duration.ZERO) : Duration.ZERO;
        Answer answer = once(method, lane, action, parameters, correction);
        if (lane == Lane.SAFETY && AliyunErrors.clockRefused(answer.reply())) {
            Optional<Duration> learned = apart().filter(skew -> !skew.equals(correction));
            if (learned.isPresent()) {
                return once(method, lane, action, parameters, learned.get());
            }
        }
        return answer;
    }

    private Optional<Duration> apart() {
        return http.clockSkew().filter(skew -> skew.abs().compareTo(APART) > 0);
    }

    private Answer once(String method, Lane lane, String action, Map<String, String> parameters, Duration correction)
            throws NoAnswerException {
        Instant now = clock.instant();
        String secret = credentials.secret().get();
        String keyId = credentials.keyId().get();
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("host", host);
        headers.put("x-acs-action", action);
        headers.put("x-acs-version", version);
        headers.put(
                "x-acs-date",
                now.plus(correction).truncatedTo(ChronoUnit.SECONDS).toString());
        headers.put("x-acs-signature-nonce", UUID.randomUUID().toString());
        headers.put("x-acs-content-sha256", Signing.sha256(""));
        List<String> unspeakable = new ArrayList<>(List.of(secret, keyId));
        credentials.token().get().ifPresent(token -> {
            headers.put("x-acs-security-token", token);
            unspeakable.add(token);
        });
        AliyunSignature signature = AliyunSignature.of(keyId, secret, method, parameters, headers);
        unspeakable.add(signature.signature());
        headers.put("Authorization", signature.authorization());
        HttpCall call = new HttpCall(lane, method, "", parameters, Optional.empty()).signed(headers, unspeakable);
        HttpReply reply = http.send(call);
        return new Answer(action, reply, now, http.clockSkew());
    }

    @Override
    public void close() {
        http.close();
    }
}
