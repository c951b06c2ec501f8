package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.aliyun.AliyunApi.Answer;
import dev.seatrial.vendors.http.HttpReply;
import dev.seatrial.vendors.http.Signing;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What the vendor's errors mean. The only place that knows its codes.
 *
 * <p>An error is {@code {"RequestId", "HostId", "Code", "Message", "Recommend"}} under a status of 400 to 503. Of the codes,
 * {@code QuotaExceed.*}, {@code InvalidAccountStatus.NotEnoughBalance}, {@code InvalidPayMethod},
 * {@code RealNameAuthenticationError} and those of the clock are unverified.
 */
final class AliyunErrors {
    private static final Duration SOON = Duration.ofSeconds(5);
    /** Throttling is per action and region and lasts "until the next minute"; there is no header that says so. */
    private static final Duration THROTTLED = Duration.ofSeconds(60);

    /** The vendor's own sample treats the first four alike: this type cannot be had in this zone now. */
    private static final Set<String> NO_CAPACITY = Set.of(
            "OperationDenied.NoStock",
            "Zone.NotOnSale",
            "InvalidResourceType.NotSupported",
            "InstanceType.Offline",
            "Invalid.Zone.NotEnoughResource");

    private static final Set<String> NO_FUNDS =
            Set.of("InvalidAccountStatus.NotEnoughBalance", "InsufficientBalance", "InvalidPayMethod");

    private static final Set<String> BAD_KEY = Set.of(
            "InvalidAccessKeyId",
            "InvalidAccessKeyId.NotFound",
            "InvalidAccessKeyId.Inactive",
            "SignatureDoesNotMatch",
            "IncompleteSignature",
            "SignatureNonceUsed",
            "MissingSecurityToken",
            "InvalidSecurityToken.Expired",
            "InvalidSecurityToken.Malformed",
            "InvalidSecurityToken.MismatchWithAccessKey");

    private static final Set<String> WRONG_CLOCK =
            Set.of("InvalidTimeStamp.Expired", "InvalidTimeStamp.Format", "IllegalTimestamp");

    private static final Set<String> FORBIDDEN = Set.of("NotAuthorized", "NoPermission", "UnauthorizedOperation");
    private static final Set<String> BLOCKED = Set.of("RealNameAuthenticationError", "Account.Blocked");
    private static final Set<String> NO_SUCH_CALL =
            Set.of("InvalidAction.NotFound", "InvalidApi.NotFound", "InvalidVersion", "UnsupportedHTTPMethod");

    private static final Set<String> BROKEN =
            Set.of("InternalError", "ServiceUnavailable", "ServiceTimeout", "UnknownError", "UndefinedError");

    /** An earlier request with the same token: whether it made something, only a search can tell. */
    private static final Set<String> TOKEN_USED =
            Set.of("IdempotentParameterMismatch", "IdempotentProcessing", "LastTokenProcessing");

    private AliyunErrors() {}

    /** An error document of this vendor. */
    private record Told(ErrorKind kind, String code, String words) {}

    /** The document of an answer that says yes. */
    static JsonNode document(Answer answer) {
        if (!answer.reply().ok() || told(answer).isPresent()) {
            throw exception(answer);
        }
        JsonNode document = answer.reply().json().filter(JsonNode::isObject).orElseThrow(() -> exception(answer));
        if (!document.path("RequestId").isTextual()) {
            throw odd(answer, "no request id");
        }
        return document;
    }

    /** The answer as an exception. */
    static ProviderException exception(Answer answer) {
        HttpReply reply = answer.reply();
        Optional<Told> told = told(answer);
        if (told.isEmpty()) {
            return reply.ok()
                    ? odd(answer, reply.empty() ? "an empty answer" : "no readable document")
                    : new ProviderException(
                            byStatus(reply.status()),
                            answer.action() + ": HTTP " + reply.status() + " " + reply.start(),
                            reply.retryAfter(),
                            null);
        }
        // An error under status 200 is a broken promise, but for the billing service, which says no like that.
        boolean saysNo = !reply.ok()
                || reply.json().filter(body -> body.path("Success").isBoolean()).isPresent();
        ErrorKind kind = saysNo ? told.get().kind() : ErrorKind.PROTOCOL;
        return new ProviderException(kind, told.get().words(), wait(reply, kind), null);
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
        return !answer.reply().ok()
                && told(answer)
                        .filter(told -> told.code().equals("InvalidInstanceId.NotFound"))
                        .isPresent();
    }

    /** Whether the vendor itself says that there is no such thing, whatever its kind. */
    static boolean notFound(Answer answer) {
        return !answer.reply().ok()
                && told(answer)
                        .filter(told -> told.kind() == ErrorKind.NOT_FOUND)
                        .isPresent();
    }

    /** Whether a dry run says that the real call would have been let through: the vendor says that with an error. */
    static boolean dryRunPassed(Answer answer) {
        return told(answer)
                .filter(told ->
                        told.code().equals("DryRunOperation") || told.code().equalsIgnoreCase("DRYRUN.SUCCESS"))
                .isPresent();
    }

    /** Whether another key has this name. */
    static boolean keyNameTaken(Answer answer) {
        return told(answer)
                .filter(told -> told.code().equals("KeyPair.AlreadyExist")
                        || told.code().equals("InvalidKeyPairName.Duplicate"))
                .isPresent();
    }

    /** Whether the signature was refused for its time. */
    static boolean clockRefused(HttpReply reply) {
        return !reply.ok() && WRONG_CLOCK.contains(code(reply).orElse(""));
    }

    /**
     * A create that was not answered with an instance. It counts as refused only when the vendor's own error document, with
     * a code that is known, says so under a status that says so too.
     *
     * @param id an id that came along
     */
    static CreateOutcome create(Answer answer, Optional<InstanceId> id) {
        HttpReply reply = answer.reply();
        Optional<Told> told = told(answer);
        boolean refused = reply.status() >= 400
                && reply.status() < 500
                && reply.status() != 408
                && told.filter(t -> definite(t.kind()) && !TOKEN_USED.contains(t.code()))
                        .isPresent();
        return refused
                ? new CreateOutcome.NotCreated(
                        told.get().kind(),
                        told.get().words(),
                        id,
                        wait(reply, told.get().kind()))
                : new CreateOutcome.Unknown(exception(answer).words(), id);
    }

    private static boolean definite(ErrorKind kind) {
        return kind != ErrorKind.PROTOCOL && kind != ErrorKind.VENDOR_UNAVAILABLE;
    }

    /** A release that was not simply accepted. */
    static ReleaseOutcome release(Answer answer) {
        if (positivelyGone(answer)) {
            return new ReleaseOutcome.AlreadyGone();
        }
        ProviderException error = exception(answer);
        return error.kind().passing()
                ? new ReleaseOutcome.RetryLater(
                        error.words(), error.retryAfter().orElse(SOON))
                : new ReleaseOutcome.Failed(error.kind(), error.words());
    }

    private static Optional<String> code(HttpReply reply) {
        return reply.json()
                .filter(JsonNode::isObject)
                .filter(body -> body.path("Code").isTextual())
                // The billing service says yes with a code as well.
                .filter(body -> !body.path("Success").asBoolean(false))
                .map(body -> body.path("Code").asText());
    }

    private static Optional<Told> told(Answer answer) {
        HttpReply reply = answer.reply();
        return code(reply).map(code -> {
            JsonNode body = reply.json().orElseThrow();
            ErrorKind kind = kind(code, reply.status());
            String request = body.path("RequestId").asText("");
            String words = answer.action() + ": " + code + ": "
                    + body.path("Message").asText("")
                    + (request.isEmpty() ? "" : " (request " + request + ")");
            String more = "";
            if (WRONG_CLOCK.contains(code)) {
                more = answer.skew()
                        .map(skew -> "; " + Signing.clocks(answer.signedAt(), skew))
                        .orElse("; this computer's clock says " + answer.signedAt());
            } else if (kind == ErrorKind.PROTOCOL) {
                more = "; in full: " + reply.start();
            }
            return new Told(kind, code, reply.words(words) + more);
        });
    }

    private static ErrorKind kind(String code, int status) {
        if (NO_CAPACITY.contains(code)) {
            return ErrorKind.NO_CAPACITY;
        }
        if (NO_FUNDS.contains(code)) {
            return ErrorKind.INSUFFICIENT_FUNDS;
        }
        if (BAD_KEY.contains(code) || WRONG_CLOCK.contains(code)) {
            return ErrorKind.AUTH;
        }
        if (FORBIDDEN.contains(code) || code.equals("Forbidden") || code.startsWith("Forbidden.")) {
            return ErrorKind.PERMISSION;
        }
        if (BLOCKED.contains(code) || code.startsWith("InvalidAccountStatus")) {
            return ErrorKind.ACCOUNT_BLOCKED;
        }
        if (NO_SUCH_CALL.contains(code)) {
            return ErrorKind.DEPRECATED_ENDPOINT;
        }
        if (code.equals("Throttling") || code.startsWith("Throttling.")) {
            return ErrorKind.RATE_LIMITED;
        }
        if (BROKEN.contains(code) || status >= 500) {
            return ErrorKind.VENDOR_UNAVAILABLE;
        }
        if (code.startsWith("QuotaExceed")) {
            return ErrorKind.QUOTA;
        }
        if (code.startsWith("IncorrectInstanceStatus")
                || code.startsWith("IncorrectStatus")
                || code.startsWith("IncorrectDiskStatus")
                || code.equals("OperationConflict")
                || code.equals("InvalidOperation.DeletionProtection")
                || TOKEN_USED.contains(code)) {
            return ErrorKind.CONFLICT_STATE;
        }
        if (code.endsWith(".NotFound")) {
            return ErrorKind.NOT_FOUND;
        }
        if (code.startsWith("Invalid") || code.startsWith("Missing") || code.startsWith("Unsupported")) {
            return ErrorKind.INVALID_ARGUMENT;
        }
        return ErrorKind.PROTOCOL;
    }

    /** For answers that are not this vendor's own: of a gateway, a proxy, a captive portal. */
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
