package dev.seatrial.vendors.tencent;

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
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.TestClock;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.tencent.TencentApi.Answer;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From the wire to the closed set of kinds. */
class TencentErrorsTest {
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
        TencentApi.Credentials credentials =
                new TencentApi.Credentials(() -> "id-31415926", () -> "secret-27182818", Optional::empty);
        try (TencentApi api = new TencentApi(
                "tencent",
                "cvm",
                "2017-03-12",
                URI.create(SERVER.baseUrl()),
                credentials,
                new TestClock(Instant.parse("2026-05-04T10:00:00Z")))) {
            return api.ask(Lane.READ, "ap-guangzhou", "DescribeInstances", TencentMapper.object());
        }
    }

    private static Answer told(String code) {
        return answer(
                200,
                "application/json",
                "{\"Response\":{\"Error\":{\"Code\":\"" + code
                        + "\",\"Message\":\"In our words, with secret-27182818.\"},\"RequestId\":\"R-1\"}}");
    }

    @ParameterizedTest
    @CsvSource({
        "ResourceInsufficient.SpecifiedInstanceType, NO_CAPACITY",
        "ResourceInsufficient.ZoneSoldOutForSpecifiedInstance, NO_CAPACITY",
        "ResourceInsufficient.AvailabilityZoneSoldOut, NO_CAPACITY",
        "ResourceInsufficient.CloudDiskSoldOut, NO_CAPACITY",
        "ResourcesSoldOut.SpecifiedInstanceType, NO_CAPACITY",
        "ResourcesSoldOut.AvailableZone, NO_CAPACITY",
        "ResourcesSoldOut.EipInsufficient, NO_CAPACITY",
        "ResourceUnavailable.InstanceType, NO_CAPACITY",
        "ResourceNotFound.InvalidZoneInstanceType, NO_CAPACITY",
        "LimitExceeded.InstanceQuota, QUOTA",
        "LimitExceeded.SpotQuota, QUOTA",
        "InstancesQuotaLimitExceeded, QUOTA",
        "InvalidAccount.InsufficientBalance, INSUFFICIENT_FUNDS",
        "InvalidAccount.UnpaidOrder, INSUFFICIENT_FUNDS",
        "AccountQualificationRestrictions, ACCOUNT_BLOCKED",
        "AuthFailure.SecretIdNotFound, AUTH",
        "AuthFailure.SignatureFailure, AUTH",
        "AuthFailure.SignatureExpire, AUTH",
        "AuthFailure.TokenFailure, AUTH",
        "UnauthorizedOperation.MFAExpired, AUTH",
        "AuthFailure.UnauthorizedOperation, PERMISSION",
        "UnauthorizedOperation, PERMISSION",
        "UnauthorizedOperation.PermissionDenied, PERMISSION",
        "RequestLimitExceeded, RATE_LIMITED",
        "RequestLimitExceeded.UinLimitExceeded, RATE_LIMITED",
        "InvalidInstanceId.NotFound, NOT_FOUND",
        "InvalidKeyPairId.NotFound, NOT_FOUND",
        "OperationDenied.InstanceOperationInProgress, CONFLICT_STATE",
        "MutexOperation.TaskRunning, CONFLICT_STATE",
        "UnsupportedOperation.InstanceStatePending, CONFLICT_STATE",
        "UnsupportedOperation.InstanceStateTerminating, CONFLICT_STATE",
        "UnsupportedOperation.InvalidInstanceNotSupportedProtectedInstance, CONFLICT_STATE",
        "InvalidAction, DEPRECATED_ENDPOINT",
        "ActionOffline, DEPRECATED_ENDPOINT",
        "InvalidParameterValue, INVALID_ARGUMENT",
        "MissingParameter, INVALID_ARGUMENT",
        "UnsupportedOperation.Region, INVALID_ARGUMENT",
        "UnknownParameter, INVALID_ARGUMENT",
        "InternalError, VENDOR_UNAVAILABLE",
        "InternalServerError, VENDOR_UNAVAILABLE",
        "FailedOperation.InquiryPriceFailed, VENDOR_UNAVAILABLE",
        "NeverSeen.Before, PROTOCOL",
        "LimitExceededButNot, PROTOCOL"
    })
    void codesHaveAKindAndTheVendorsWords(String code, ErrorKind kind) {
        ProviderException e = TencentErrors.exception(told(code));
        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e.words())
                .contains("DescribeInstances", code, "In our words", "R-1")
                .doesNotContain("secret-27182818");
        assertThat(catchThrowableOfType(ProviderException.class, () -> TencentErrors.document(told(code)))
                        .kind())
                .isEqualTo(kind);
    }

    @Test
    void anUnknownCodeIsShownWhole() {
        assertThat(TencentErrors.exception(told("NeverSeen.Before")).words())
                .contains("in full: {\"Response\":")
                .doesNotContain("secret-27182818");
    }

    @Test
    void throttlingLastsASecond() {
        assertThat(TencentErrors.exception(told("RequestLimitExceeded")).retryAfter())
                .contains(Duration.ofSeconds(1));
        assertThat(TencentErrors.exception(told("UnauthorizedOperation")).retryAfter())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | text/html | <html>login</html>",
                "200 | application/json | ''",
                "200 | application/json | {\"Response\":{\"RequestId\":\"R-1\",\"Inst",
                "200 | application/json | []",
                "200 | application/json | {}",
                "200 | application/json | {\"Response\":[]}",
                "200 | application/json | {\"Response\":{\"InstanceSet\":[]}}",
                "200 | application/json | {\"Response\":{\"Error\":\"odd\",\"RequestId\":\"R-1\"}}",
                "200 | application/json | {\"Response\":{\"Error\":{\"Code\":7},\"RequestId\":\"R-1\"}}",
                "200 | text/plain | fine",
                "404 | text/html | <h1>not found</h1>",
                "403 | text/plain | blocked"
            })
    void whatIsNotTheVendorsOwnIsBelievedInNothing(int status, String type, String body) {
        Answer answer = answer(status, type, body);
        ProviderException e = catchThrowableOfType(ProviderException.class, () -> TencentErrors.document(answer));
        assertThat(e.kind()).isEqualTo(ErrorKind.PROTOCOL);
        assertThat(TencentErrors.positivelyGone(answer)).isFalse();
        assertThat(TencentErrors.create(answer, Optional.empty())).isInstanceOf(CreateOutcome.Unknown.class);
        assertThat(TencentErrors.release(answer)).isInstanceOf(ReleaseOutcome.Failed.class);
    }

    @ParameterizedTest
    @CsvSource({"500", "502", "503", "504", "408"})
    void gatewaysThatFailAreTheVendorAway(int status) {
        Answer answer = answer(status, "text/html", "<h1>bad gateway</h1>");
        assertThat(TencentErrors.exception(answer).kind()).isEqualTo(ErrorKind.VENDOR_UNAVAILABLE);
        assertThat(TencentErrors.create(answer, Optional.empty())).isInstanceOf(CreateOutcome.Unknown.class);
    }

    /** A create with these may have made something. */
    @ParameterizedTest
    @CsvSource({"InternalError", "FailedOperation", "MutexOperation.TaskRunning", "NeverSeen.Before"})
    void someRefusalsProveNothing(String code) {
        assertThat(TencentErrors.create(told(code), Optional.empty())).isInstanceOf(CreateOutcome.Unknown.class);
    }

    @Test
    void aReleaseOfWhatIsTerminatedIsDone() {
        assertThat(TencentErrors.release(told("UnsupportedOperation.InstanceStateTerminated")))
                .isInstanceOf(ReleaseOutcome.AlreadyGone.class);
        assertThat(TencentErrors.release(told("InvalidInstanceId.NotFound")))
                .isInstanceOf(ReleaseOutcome.AlreadyGone.class);
        assertThat(TencentErrors.release(told("UnsupportedOperation.InstanceStateTerminating")))
                .isInstanceOf(ReleaseOutcome.RetryLater.class);
        assertThat(TencentErrors.release(told("InvalidKeyPairId.NotFound"))).isInstanceOf(ReleaseOutcome.Failed.class);
    }
}
