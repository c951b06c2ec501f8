package dev.seatrial.vendors.aliyun;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.tomakehurst.wiremock.WireMockServer;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.TestClock;
import dev.seatrial.vendors.aliyun.AliyunApi.Answer;
import dev.seatrial.vendors.http.Lane;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From the wire to the closed set of kinds. */
class AliyunErrorsTest {
    private static final WireMockServer SERVER =
            new WireMockServer(options().dynamicPort().bindAddress("127.0.0.1"));

    @BeforeAll
    static void open() {
        SERVER.start();
    }

    @AfterAll
    static void close() {
        SERVER.stop();
    }

    private static Answer answer(int status, String type, String body) {
        SERVER.resetAll();
        SERVER.stubFor(any(anyUrl())
                .willReturn(aResponse()
                        .withStatus(status)
                        .withHeader("Content-Type", type)
                        .withBody(body)));
        AliyunApi.Credentials credentials =
                new AliyunApi.Credentials(() -> "id-31415926", () -> "secret-27182818", Optional::empty);
        try (AliyunApi api = new AliyunApi(
                "aliyun",
                URI.create(SERVER.baseUrl()),
                "2014-05-26",
                credentials,
                new TestClock(Instant.parse("2026-05-04T10:00:00Z")))) {
            return api.get(Lane.READ, "DescribeInstances", Map.of());
        }
    }

    private static Answer told(int status, String code) {
        return answer(
                status,
                "application/json;charset=utf-8",
                "{\"RequestId\":\"R-1\",\"HostId\":\"ecs.aliyuncs.com\",\"Code\":\"" + code
                        + "\",\"Message\":\"In our words, with secret-27182818.\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "403, OperationDenied.NoStock, NO_CAPACITY",
        "403, Zone.NotOnSale, NO_CAPACITY",
        "403, InvalidResourceType.NotSupported, NO_CAPACITY",
        "400, InstanceType.Offline, NO_CAPACITY",
        "400, Invalid.Zone.NotEnoughResource, NO_CAPACITY",
        "403, QuotaExceed.ElasticQuota, QUOTA",
        "400, QuotaExceeded.AnythingElse, QUOTA",
        "403, InvalidAccountStatus.NotEnoughBalance, INSUFFICIENT_FUNDS",
        "403, InsufficientBalance, INSUFFICIENT_FUNDS",
        "403, InvalidPayMethod, INSUFFICIENT_FUNDS",
        "404, InvalidAccessKeyId.NotFound, AUTH",
        "400, InvalidAccessKeyId.Inactive, AUTH",
        "400, SignatureDoesNotMatch, AUTH",
        "400, InvalidSecurityToken.Expired, AUTH",
        "400, InvalidTimeStamp.Expired, AUTH",
        "403, Forbidden.RAM, PERMISSION",
        "403, Forbidden, PERMISSION",
        "403, RealNameAuthenticationError, ACCOUNT_BLOCKED",
        "400, Throttling.User, RATE_LIMITED",
        "503, Throttling, RATE_LIMITED",
        "404, InvalidInstanceId.NotFound, NOT_FOUND",
        "403, IncorrectInstanceStatus, CONFLICT_STATE",
        "403, IncorrectInstanceStatus.Initializing, CONFLICT_STATE",
        "404, InvalidAction.NotFound, DEPRECATED_ENDPOINT",
        "400, MissingParameter.RegionId, INVALID_ARGUMENT",
        "400, InvalidParameter, INVALID_ARGUMENT",
        "500, InternalError, VENDOR_UNAVAILABLE",
        "503, ServiceUnavailable, VENDOR_UNAVAILABLE",
        "400, NeverSeen.Before, PROTOCOL",
        // An error under a status that says yes is a broken promise.
        "200, Forbidden.RAM, PROTOCOL"
    })
    void codesHaveAKindAndTheVendorsWords(int status, String code, ErrorKind kind) {
        ProviderException e = AliyunErrors.exception(told(status, code));
        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e.words())
                .contains("DescribeInstances", code, "In our words", "R-1")
                .doesNotContain("secret-27182818");
    }

    @Test
    void anUnknownCodeIsShownWhole() {
        assertThat(AliyunErrors.exception(told(400, "NeverSeen.Before")).words())
                .contains("in full: {\"RequestId\":\"R-1\"")
                .doesNotContain("secret-27182818");
    }

    @Test
    void throttlingLastsUntilTheNextMinute() {
        assertThat(AliyunErrors.exception(told(400, "Throttling.User")).retryAfter())
                .contains(Duration.ofSeconds(60));
        assertThat(AliyunErrors.exception(told(403, "Forbidden.RAM")).retryAfter())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | text/html | <html>login</html>",
                "200 | application/json | ''",
                "200 | application/json | {\"RequestId\":\"R-1\",\"Inst",
                "200 | application/json | [1]",
                "200 | application/json | null",
                "200 | application/json | {\"Instances\":{\"Instance\":[]}}",
                "200 | application/json | {\"RequestId\":7,\"Instances\":{\"Instance\":[]}}",
                "200 | text/plain | fine",
                "404 | text/html | <h1>not found</h1>",
                "404 | application/json | {\"message\":\"no Route matched\"}",
                "403 | text/plain | blocked",
                "400 | application/json | {\"Code\":404,\"Message\":\"number\"}"
            })
    void whatIsNotTheVendorsOwnIsBelievedInNothing(int status, String type, String body) {
        Answer answer = answer(status, type, body);
        ProviderException e = catchThrowableOfType(ProviderException.class, () -> AliyunErrors.document(answer));
        assertThat(e.kind()).isEqualTo(ErrorKind.PROTOCOL);
        assertThat(AliyunErrors.positivelyGone(answer)).isFalse();
        assertThat(AliyunErrors.create(answer, Optional.empty())).isInstanceOf(CreateOutcome.Unknown.class);
    }

    @ParameterizedTest
    @CsvSource({"500", "502", "503", "504", "408"})
    void gatewaysThatFailAreTheVendorAway(int status) {
        Answer answer = answer(status, "text/html", "<h1>bad gateway</h1>");
        assertThat(AliyunErrors.exception(answer).kind()).isEqualTo(ErrorKind.VENDOR_UNAVAILABLE);
        assertThat(AliyunErrors.create(answer, Optional.empty())).isInstanceOf(CreateOutcome.Unknown.class);
    }

    /** A create with these may have made something. */
    @ParameterizedTest
    @CsvSource({
        "400, IdempotentParameterMismatch",
        "400, IdempotentProcessing",
        "500, InternalError",
        "503, Throttling",
        "400, NeverSeen.Before",
        "200, OperationDenied.NoStock"
    })
    void someRefusalsProveNothing(int status, String code) {
        assertThat(AliyunErrors.create(told(status, code), Optional.empty())).isInstanceOf(CreateOutcome.Unknown.class);
    }
}
