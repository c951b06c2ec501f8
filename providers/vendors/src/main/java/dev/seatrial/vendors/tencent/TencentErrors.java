package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.http.HttpReply;
import dev.seatrial.vendors.http.Signing;
import dev.seatrial.vendors.tencent.TencentApi.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the vendor's errors mean. The only place that knows its codes, which are those of its SDK's {@code errors.go}.
 *
 * <p>Errors come under status 200: {@code {"Response": {"Error": {"Code", "Message"}, "RequestId"}}}. Any other status is a
 * gateway's.
 */
final class TencentErrors {
    private static final Duration SOON = Duration.ofSeconds(5);
    /** The vendor counts by the second. */
    private static final Duration THROTTLED = Duration.ofSeconds(1);

    private static final String GONE = "InvalidInstanceId.NotFound";
    private static final String TERMINATED = "UnsupportedOperation.InstanceStateTerminated";
    private static final String TIMED = "UnsupportedOperation.InvalidInstanceNotSupportedProtectedInstance";
    private static final String WRONG_CLOCK = "AuthFailure.SignatureExpire";

    /** Codes, or their beginnings up to a dot, in the order in which they are looked up. */
    private static final List<Rule> RULES = List.of(
            new Rule(
                    ErrorKind.NO_CAPACITY,
                    "ResourceInsufficient",
                    "ResourcesSoldOut",
                    "ResourceUnavailable.InstanceType",
                    "ResourceNotFound.InvalidZoneInstanceType",
                    "InvalidParameter.InvalidCloudDiskSoldOut"),
            new Rule(ErrorKind.INSUFFICIENT_FUNDS, "InvalidAccount.InsufficientBalance", "InvalidAccount.UnpaidOrder"),
            new Rule(
                    ErrorKind.QUOTA,
                    "LimitExceeded",
                    "InstancesQuotaLimitExceeded",
                    "InvalidKeyPair.LimitExceeded",
                    "OverQuota"),
            new Rule(ErrorKind.ACCOUNT_BLOCKED, "AccountQualificationRestrictions"),
            new Rule(ErrorKind.PERMISSION, "AuthFailure.UnauthorizedOperation"),
            new Rule(
                    ErrorKind.AUTH,
                    "AuthFailure",
                    "UnauthorizedOperation.InvalidToken",
                    "UnauthorizedOperation.MFAExpired",
                    "UnauthorizedOperation.MFANotFound"),
            new Rule(ErrorKind.PERMISSION, "UnauthorizedOperation"),
            new Rule(ErrorKind.RATE_LIMITED, "RequestLimitExceeded"),
            new Rule(
                    ErrorKind.CONFLICT_STATE,
                    "OperationDenied.InstanceOperationInProgress",
                    "MutexOperation",
                    "ResourceInUse",
                    "InvalidInstanceState",
                    "InvalidInstance.NotSupported",
                    "InvalidKeyPair.NotSupported",
                    "InvalidParameterValue.KeyPairNotSupported",
                    // Protected by hand, or by a timer: some calls are refused then.
                    "UnsupportedOperation.InstancesProtected",
                    TIMED),
            new Rule(
                    ErrorKind.DEPRECATED_ENDPOINT,
                    "InvalidAction",
                    "ActionOffline",
                    "NoSuchVersion",
                    "NoSuchProduct",
                    "UnsupportedProtocol"),
            new Rule(ErrorKind.VENDOR_UNAVAILABLE, "InternalError", "InternalServerError", "FailedOperation"),
            new Rule(ErrorKind.NOT_FOUND, "ResourceNotFound"));

    private static final Set<String> OURS = Set.of("UnknownParameter", "UnsupportedRegion", "VpcAddrNotInSubNet");

    private record Rule(ErrorKind kind, String... codes) {
        boolean covers(String code) {
            for (String mine : codes) {
                if (code.equals(mine) || code.startsWith(mine + ".")) {
                    return true;
                }
            }
            return false;
        }
    }

    private TencentErrors() {}

    /** An error document of this vendor. */
    private record Told(ErrorKind kind, String code, String words) {}

    /** {@code Response} of an answer that says yes. */
    static JsonNode document(Answer answer) {
        if (!answer.reply().ok() || told(answer).isPresent()) {
            throw exception(answer);
        }
        JsonNode response = answer.reply()
                .json()
                .map(body -> body.path("Response"))
                .filter(JsonNode::isObject)
                .orElseThrow(() -> exception(answer));
        if (response.has("Error") || !response.path("RequestId").isTextual()) {
            throw odd(answer, response.has("Error") ? "an error of no known form" : "no request id");
        }
        return response;
    }

    /** The answer as an exception. */
    static ProviderException exception(Answer answer) {
        HttpReply reply = answer.reply();
        Optional<Told> told = told(answer);
        if (told.isPresent()) {
            return new ProviderException(
                    told.get().kind(),
                    told.get().words(),
                    wait(reply, told.get().kind()),
                    null);
        }
        return reply.ok()
                ? odd(answer, reply.empty() ? "an empty answer" : "no readable document")
                : new ProviderException(
                        byStatus(reply.status()),
                        answer.action() + ": HTTP " + reply.status() + " " + reply.start(),
                        reply.retryAfter(),
                        null);
    }

    private static Optional<Duration> wait(HttpReply reply, ErrorKind kind) {
        return reply.retryAfter().or(() -> Optional.of(THROTTLED).filter(w -> kind == ErrorKind.RATE_LIMITED));
    }

    /** An answer that cannot be believed, with the start of it. */
    static ProviderException odd(Answer answer, String what) {
        HttpReply reply = answer.reply();
        return new ProviderException(
                ErrorKind.PROTOCOL,
                answer.action() + " answered " + reply.status() + " with " + what
                        + (reply.empty() ? "" : ": " + reply.start()));
    }

    /** Whether the vendor itself says that there is no such instance. */
    static boolean positivelyGone(Answer answer) {
        return told(answer).filter(told -> told.code().equals(GONE)).isPresent();
    }

    /** Whether the vendor itself says that there is no such thing, whatever its kind. */
    static boolean notFound(Answer answer) {
        return told(answer).filter(told -> told.kind() == ErrorKind.NOT_FOUND).isPresent();
    }

    /** Whether a call is refused because the instance has a timer. */
    static boolean refusedForItsTimer(Answer answer) {
        return told(answer).filter(told -> told.code().equals(TIMED)).isPresent();
    }

    /** Whether another key has this name. */
    static boolean keyNameTaken(Answer answer) {
        return told(answer)
                .filter(told -> told.code().equals("InvalidKeyPairName.Duplicate"))
                .isPresent();
    }

    /** Whether the signature was refused for its time. */
    static boolean clockRefused(HttpReply reply) {
        return code(reply).filter(WRONG_CLOCK::equals).isPresent();
    }

    /**
     * A create that was not answered with an instance. It counts as refused only when the vendor's own error document says so
     * with a code that is known, and that is none of a failure on its side.
     *
     * @param id an id that came along
     */
    static CreateOutcome create(Answer answer, Optional<InstanceId> id) {
        Optional<Told> told = told(answer).filter(t -> answer.reply().ok());
        boolean refused = told.filter(t -> t.kind() != ErrorKind.PROTOCOL && t.kind() != ErrorKind.VENDOR_UNAVAILABLE)
                .filter(t -> t.kind() != ErrorKind.CONFLICT_STATE)
                .isPresent();
        return refused
                ? new CreateOutcome.NotCreated(
                        told.get().kind(),
                        told.get().words(),
                        id,
                        wait(answer.reply(), told.get().kind()))
                : new CreateOutcome.Unknown(exception(answer).words(), id);
    }

    /** A release that was not simply accepted. */
    static ReleaseOutcome release(Answer answer) {
        if (positivelyGone(answer)
                || told(answer).filter(told -> told.code().equals(TERMINATED)).isPresent()) {
            return new ReleaseOutcome.AlreadyGone();
        }
        ProviderException error = exception(answer);
        return error.kind().passing()
                ? new ReleaseOutcome.RetryLater(
                        error.words(), error.retryAfter().orElse(SOON))
                : new ReleaseOutcome.Failed(error.kind(), error.words());
    }

    private static Optional<JsonNode> error(HttpReply reply) {
        return reply.json().map(body -> body.path("Response").path("Error")).filter(error -> error.path("Code")
                .isTextual());
    }

    private static Optional<String> code(HttpReply reply) {
        return error(reply).map(error -> error.path("Code").asText());
    }

    private static Optional<Told> told(Answer answer) {
        HttpReply reply = answer.reply();
        return error(reply).map(error -> {
            String code = error.path("Code").asText();
            ErrorKind kind = reply.status() >= 500 ? ErrorKind.VENDOR_UNAVAILABLE : kind(code);
            String request = reply.json()
                    .orElseThrow()
                    .path("Response")
                    .path("RequestId")
                    .asText("");
            String words = answer.action() + ": " + code + ": "
                    + error.path("Message").asText("") + (request.isEmpty() ? "" : " (request " + request + ")");
            String more = "";
            if (code.equals(WRONG_CLOCK)) {
                more = answer.skew()
                        .map(skew -> "; " + Signing.clocks(answer.signedAt(), skew))
                        .orElse("; this computer's clock says " + answer.signedAt());
            } else if (kind == ErrorKind.PROTOCOL) {
                more = "; in full: " + reply.start();
            }
            return new Told(kind, code, reply.words(words) + more);
        });
    }

    private static ErrorKind kind(String code) {
        // States, such as pending, have codes of their own; those of a create cannot be among them.
        if (code.startsWith("UnsupportedOperation.InstanceState")) {
            return ErrorKind.CONFLICT_STATE;
        }
        Optional<ErrorKind> ruled =
                RULES.stream().filter(rule -> rule.covers(code)).map(Rule::kind).findFirst();
        if (ruled.isPresent()) {
            return ruled.get();
        }
        if (code.endsWith(".NotFound")) {
            return ErrorKind.NOT_FOUND;
        }
        boolean asked = code.startsWith("Invalid")
                || code.startsWith("MissingParameter")
                || code.startsWith("UnsupportedOperation")
                || OURS.contains(code);
        return asked ? ErrorKind.INVALID_ARGUMENT : ErrorKind.PROTOCOL;
    }

    private static ErrorKind byStatus(int status) {
        if (status >= 500 || status == 408) {
            return ErrorKind.VENDOR_UNAVAILABLE;
        }
        if (status == 429) {
            return ErrorKind.RATE_LIMITED;
        }
        return status == 410 || status >= 300 && status < 400 ? ErrorKind.DEPRECATED_ENDPOINT : ErrorKind.PROTOCOL;
    }
}
