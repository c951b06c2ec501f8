package dev.seatrial.vendors.http;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.TestClock;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class VendorHttpTest {
    private static final String KEY = "sk_live+8c1f/77=";
    private static final HttpSettings.Limits ROOMY = HttpSettings.Limits.LOOPBACK;

    private final WireMockServer server =
            new WireMockServer(options().dynamicPort().bindAddress("127.0.0.1"));
    private final TestClock time = new TestClock(Instant.parse("2026-05-04T10:00:00Z"));

    @BeforeEach
    void open() {
        server.start();
    }

    @AfterEach
    void close() {
        server.stop();
    }

    private VendorHttp http(HttpSettings.Limits limits) {
        return http("", limits);
    }

    private VendorHttp http(String under, HttpSettings.Limits limits) {
        return http(under, limits, HttpSettings.Times.DEFAULT);
    }

    private VendorHttp http(String under, HttpSettings.Limits limits, HttpSettings.Times times) {
        Clock clock = new Clock() {
            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return time.instant();
            }
        };
        return new VendorHttp(HttpSettings.bearer("acme", URI.create(server.baseUrl() + under), KEY)
                .with(limits)
                .with(clock)
                .with(times));
    }

    private void answers(ResponseDefinitionBuilder answer) {
        server.stubFor(any(anyUrl()).willReturn(answer));
    }

    private static HttpCall call(Lane lane) {
        return lane == Lane.CREATE ? HttpCall.post(lane, "things", "{}") : HttpCall.get(lane, "things");
    }

    private int sent() {
        return server.findAll(anyRequestedFor(anyUrl())).size();
    }

    @ParameterizedTest
    @CsvSource({
        "'', /v1/things?a=b%20c",
        "/, /v1/things?a=b%20c",
        "/api, /api/v1/things?a=b%20c",
        "/api/, /api/v1/things?a=b%20c"
    })
    void pathsGoBelowTheBaseAddress(String under, String expected) {
        answers(okJson("{}"));
        http(under, ROOMY).read(HttpCall.get(Lane.READ, "v1/things").with("a", "b c"));
        server.verify(getRequestedFor(urlEqualTo(expected)).withHeader("Authorization", equalTo("Bearer " + KEY)));
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE"})
    void aBrokenWriteIsSentOnceAndMayHaveHappened(Fault fault) {
        answers(aResponse().withFault(fault));
        NoAnswerException e =
                catchThrowableOfType(NoAnswerException.class, () -> http(ROOMY).send(call(Lane.CREATE)));
        assertThat(e.mayHaveBeenSent()).isTrue();
        assertThat(e.kind()).isEqualTo(ErrorKind.VENDOR_UNAVAILABLE);
        assertThat(sent()).isEqualTo(1);
    }

    @Test
    void aSlowAnswerIsNotWaitedForAndMayHaveHappened() {
        answers(okJson("{}").withFixedDelay(20_000));
        Duration soon = Duration.ofMillis(500);
        VendorHttp http = http("", ROOMY, new HttpSettings.Times(Duration.ofSeconds(20), soon, soon));
        NoAnswerException e = catchThrowableOfType(NoAnswerException.class, () -> http.send(call(Lane.CREATE)));
        assertThat(e.mayHaveBeenSent()).isTrue();
    }

    @Test
    void whatCannotConnectWasCertainlyNotSent() {
        VendorHttp http = http(ROOMY);
        server.stop();
        NoAnswerException e = catchThrowableOfType(NoAnswerException.class, () -> http.send(call(Lane.CREATE)));
        assertThat(e.mayHaveBeenSent()).isFalse();
        assertThat(e.why()).contains("nothing was sent");
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void redirectsAreNotFollowed(int status) throws NoAnswerException {
        answers(aResponse().withStatus(status).withHeader("Location", server.baseUrl() + "/elsewhere"));
        assertThat(http(ROOMY).send(call(Lane.CREATE)).status()).isEqualTo(status);
        assertThat(http(ROOMY).send(call(Lane.READ)).status()).isEqualTo(status);
        assertThat(sent()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7|PT7S",
                "0|PT0S",
                "Mon, 4 May 2026 10:00:30 GMT|PT30S",
                "Mon, 4 May 2026 09:00:00 GMT|PT0S",
                "999999999|PT1H"
            })
    void retryAfterIsReadInBothForms(String header, Duration expected) {
        answers(aResponse().withStatus(429).withHeader("Retry-After", header));
        assertThat(http(ROOMY).read(call(Lane.READ)).retryAfter()).contains(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "-5", "", "99999999999999999999"})
    void anUnreadableRetryAfterIsNone(String header) {
        answers(aResponse().withStatus(429).withHeader("Retry-After", header));
        assertThat(http(ROOMY).read(call(Lane.READ)).retryAfter()).isEmpty();
    }

    @Test
    void theVendorsClockIsComparedWithOurs() {
        VendorHttp http = http(ROOMY);
        assertThat(http.clockSkew()).isEmpty();
        answers(okJson("{}").withHeader("Date", "Mon, 4 May 2026 10:05:00 GMT"));
        http.read(call(Lane.READ));
        assertThat(http.clockSkew().orElseThrow()).isCloseTo(Duration.ofMinutes(5), Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "text/html|<html><body>Checking</body></html>",
                "application/json|''",
                "application/json|{\"instances\": [{\"id\":",
                "application/json|[]",
                "application/json|\"text\"",
                "application/json|{} trailing",
                "text/plain|{}",
                "none|{}"
            })
    void onlyAWholeJsonObjectIsBelieved(String type, String body) {
        ResponseDefinitionBuilder answer = aResponse().withBody(body);
        answers(type == null ? answer : answer.withHeader("Content-Type", type));
        HttpReply reply = http(ROOMY).read(call(Lane.READ));
        assertThatThrownBy(reply::object).isInstanceOfSatisfying(ProviderException.class, e -> assertThat(e.kind())
                .isEqualTo(ErrorKind.PROTOCOL));
    }

    @Test
    void problemDocumentsAreJsonToo() {
        answers(aResponse()
                .withHeader("Content-Type", "application/problem+json; charset=utf-8")
                .withBody("{\"a\": 1}"));
        assertThat(http(ROOMY).read(call(Lane.READ)).object().path("a").asInt()).isEqualTo(1);
    }

    @Test
    void anEndlessAnswerIsCutOff() {
        answers(aResponse().withBody(new byte[9 << 20]));
        ProviderException e =
                catchThrowableOfType(ProviderException.class, () -> http(ROOMY).read(call(Lane.READ)));
        assertThat(e.kind()).isEqualTo(ErrorKind.PROTOCOL);
        assertThat(e.words()).contains("larger than");
    }

    @Test
    void anOpenBreakerStopsReadsAndCreatesButNeverARelease() throws NoAnswerException {
        answers(aResponse().withStatus(503));
        VendorHttp http = http(ROOMY);
        for (int i = 0; i < 10; i++) {
            http.send(call(Lane.READ));
        }
        for (Lane lane : new Lane[] {Lane.READ, Lane.CREATE}) {
            NoAnswerException e = catchThrowableOfType(NoAnswerException.class, () -> http.send(call(lane)));
            assertThat(e.mayHaveBeenSent()).isFalse();
            assertThat(e.retryAfter()).isPresent();
        }
        assertThat(sent()).isEqualTo(10);
        for (int i = 0; i < 20; i++) {
            assertThat(http.send(HttpCall.delete(Lane.SAFETY, "things/1")).status())
                    .isEqualTo(503);
        }

        time.advance(Duration.ofSeconds(11));
        answers(okJson("{}"));
        assertThat(http.send(call(Lane.CREATE)).ok()).isTrue();
    }

    @Test
    void refusalsDoNotOpenTheBreaker() throws NoAnswerException {
        answers(aResponse().withStatus(409));
        VendorHttp http = http(ROOMY);
        for (int i = 0; i < 30; i++) {
            assertThat(http.send(call(Lane.CREATE)).status()).isEqualTo(409);
        }
    }

    @Test
    void releaseHasAShareOfItsOwn() throws NoAnswerException {
        answers(okJson("{}"));
        VendorHttp http = http(new HttpSettings.Limits(0.01, 0.01, 4, Duration.ZERO));
        http.send(call(Lane.READ));
        NoAnswerException e = catchThrowableOfType(NoAnswerException.class, () -> http.send(call(Lane.CREATE)));
        assertThat(e.kind()).isEqualTo(ErrorKind.RATE_LIMITED);
        assertThat(e.mayHaveBeenSent()).isFalse();
        assertThat(http.send(HttpCall.delete(Lane.SAFETY, "things/1")).ok()).isTrue();
    }

    @Test
    void secretsNeverComeBackOut() {
        answers(aResponse()
                .withStatus(500)
                .withBody("<h1>denied</h1>\u0007 key " + KEY + " Authorization: Bearer abcdef123456"));
        HttpReply reply = http(ROOMY).read(call(Lane.READ));
        assertThat(reply.start())
                .doesNotContain(KEY, "abcdef123456", "<h1>", "\u0007")
                .contains("denied", "***");
        assertThat(new Redactor(List.of()).words("The token expired; bearer authentication is needed"))
                .isEqualTo("The token expired; bearer authentication is needed");
        assertThat(reply.unexpected("a page").words()).doesNotContain(KEY);
        assertThat(HttpSettings.bearer("acme", URI.create("http://127.0.0.1"), KEY)
                        .toString())
                .doesNotContain(KEY);
    }

    @Test
    void aSignedCallCarriesItsOwnHeadersAndItsSecretsStayIn() {
        answers(aResponse().withStatus(403).withBody("no match for sig-31415 made with secret-27182"));
        HttpCall signed = HttpCall.post(Lane.CREATE, "", "{}")
                .signed(Map.of("X-Signature", "sig-31415"), List.of("sig-31415", "secret-27182"));
        HttpReply reply = http(ROOMY).read(signed);
        server.verify(anyRequestedFor(urlEqualTo("/")).withHeader("X-Signature", equalTo("sig-31415")));
        assertThat(reply.start()).isEqualTo("no match for *** made with ***");
        assertThat(signed.toString()).isEqualTo("POST /");
    }

    @Test
    void anAddressThatIsNoneIsSaid() {
        HttpSettings settings = HttpSettings.bearer("acme", URI.create("ftp://user:pass@host/x"), KEY);
        assertThatThrownBy(() -> new VendorHttp(settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("acme")
                .hasMessageNotContaining("pass");
    }
}
