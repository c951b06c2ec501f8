package dev.seatrial.vendors;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.extension.ResponseDefinitionTransformerV2;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.http.Request;
import com.github.tomakehurst.wiremock.http.ResponseDefinition;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A vendor with a memory behind a mock server: what is created can be listed, read and released. The mishaps that look alike at
 * every vendor are here; a vendor's own words are in its subclass.
 */
public abstract class WireVendor implements VendorDouble {
    protected static final String JSON = "application/json;charset=utf-8";

    protected final TestClock clock = new TestClock(Instant.parse("2026-05-04T10:00:00Z"));
    private final List<Rule> rules = new ArrayList<>();
    private final List<Exchange> exchanges = new ArrayList<>();
    private Duration skew = Duration.ZERO;
    private final WireMockServer server =
            new WireMockServer(options().dynamicPort().bindAddress("127.0.0.1").extensions(new Brain()));

    /** What the vendor says. */
    public record Reply(int status, String type, String body) {
        public static Reply json(int status, String body) {
            return new Reply(status, JSON, body);
        }
    }

    /** A request and, unless the connection broke, what was said to it. */
    public record Exchange(LoggedRequest request, Optional<Reply> reply) {}

    private static final class Rule {
        final Call call;
        final Mishap mishap;
        int left;

        Rule(Call call, int nth, Mishap mishap) {
            this.call = call;
            this.left = nth;
            this.mishap = mishap;
        }
    }

    protected WireVendor() {
        server.stubFor(any(anyUrl()));
        server.start();
    }

    /** Which kind of call this is, if it is one of those. */
    protected abstract Optional<Call> kind(Request request);

    /** Carries it out, in the way of a mishap that is the vendor's own. */
    protected abstract Reply answer(Request request, Optional<Mishap> mishap);

    /** An error document of the vendor for something broken, under this status, with this text in it. */
    protected abstract Reply broken(int status, String text);

    /** Address under which it is reached. */
    protected final URI base() {
        return URI.create(server.baseUrl());
    }

    /** The vendor's clock. */
    protected final Instant now() {
        return clock.instant().plus(skew);
    }

    /** Its clock goes wrong, or ours does. */
    public final void skew(Duration vendorMinusOurs) {
        skew = vendorMinusOurs;
    }

    /** Everything that was received, whole: first line, headers, body. */
    public final synchronized List<String> recorded() {
        return exchanges.stream()
                .map(Exchange::request)
                .map(r -> r.getMethod() + " " + r.getAbsoluteUrl() + "\n" + r.getHeaders() + "\n" + r.getBodyAsString())
                .toList();
    }

    /** Everything that was asked and answered. */
    public final synchronized List<Exchange> exchanges() {
        return List.copyOf(exchanges);
    }

    @Override
    public final synchronized void on(Call call, int nth, Mishap mishap) {
        rules.add(new Rule(call, nth, mishap));
    }

    @Override
    public void advance(Duration time) {
        clock.advance(time);
    }

    @Override
    public void close() {
        server.stop();
    }

    private synchronized Optional<Mishap> mishap(Request request) {
        Optional<Call> kind = kind(request);
        Optional<Mishap> met = Optional.empty();
        for (Rule rule : rules) {
            if (kind.filter(rule.call::equals).isPresent() && --rule.left == 0) {
                met = Optional.of(rule.mishap);
            }
        }
        return met;
    }

    private synchronized ResponseDefinition respond(Request request) {
        Optional<Mishap> met = mishap(request);
        Optional<Reply> reply = met.isEmpty() ? Optional.of(answer(request, met)) : spoilt(request, met.get());
        exchanges.add(new Exchange(LoggedRequest.createFrom(request), reply));
        return reply.map(this::said)
                .orElseGet(() -> fault(
                        met.get() == Mishap.CUT_CONNECTION
                                ? Fault.MALFORMED_RESPONSE_CHUNK
                                : Fault.CONNECTION_RESET_BY_PEER));
    }

    private Optional<Reply> spoilt(Request request, Mishap mishap) {
        return switch (mishap) {
            case DROPPED -> Optional.empty();
            case ANSWER_LOST, CUT_CONNECTION -> {
                answer(request, Optional.empty());
                yield Optional.empty();
            }
            case ERROR_AFTER_EFFECT -> {
                answer(request, Optional.empty());
                yield Optional.of(broken(500, "we failed while using " + key()));
            }
            case UNAVAILABLE -> Optional.of(broken(503, "come back later"));
            case ERROR_UNDER_200 -> Optional.of(broken(200, "we saw " + key()));
            case HTML -> Optional.of(new Reply(200, "text/html", "<html><body><h1>Maintenance</h1></body></html>"));
            case EMPTY_BODY -> Optional.of(Reply.json(200, ""));
            case HALF_A_DOCUMENT -> {
                String whole = answer(request, Optional.empty()).body();
                yield Optional.of(Reply.json(200, whole.substring(0, whole.length() / 2)));
            }
            case ODD_SHAPE -> Optional.of(Reply.json(200, "{\"surprise\": [1, 2]}"));
            case THROTTLED,
                    NO_CAPACITY,
                    QUOTA,
                    NO_FUNDS,
                    HIDDEN,
                    REFUSED,
                    UNKNOWN_WORD,
                    DEARER,
                    NUMBER_IDS,
                    REFUSED_WITH_ID -> Optional.of(answer(request, Optional.of(mishap)));
        };
    }

    private static ResponseDefinition fault(Fault fault) {
        return ResponseDefinitionBuilder.responseDefinition().withFault(fault).build();
    }

    private ResponseDefinition said(Reply reply) {
        return ResponseDefinitionBuilder.responseDefinition()
                .withStatus(reply.status())
                .withHeader("Content-Type", reply.type())
                .withHeader("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(now().atOffset(ZoneOffset.UTC)))
                .withBody(reply.body())
                .build();
    }

    /** Query parameters of a request, each once. */
    protected static Map<String, String> query(Request request) {
        Map<String, String> all = new TreeMap<>();
        com.github.tomakehurst.wiremock.common.Urls.splitQuery(URI.create(request.getAbsoluteUrl()))
                .forEach((name, values) -> all.put(name, values.firstValue()));
        return all;
    }

    private final class Brain implements ResponseDefinitionTransformerV2 {
        @Override
        public ResponseDefinition transform(ServeEvent event) {
            return respond(event.getRequest());
        }

        @Override
        public boolean applyGlobally() {
            return true;
        }

        @Override
        public String getName() {
            return "vendor";
        }
    }
}
