package dev.seatrial.vendors.sim;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.http.HttpReply;
import java.time.Duration;
import java.util.Optional;

/** What the simulated vendor's errors mean. The only place that knows its codes. */
final class SimErrors {
    private static final Duration SOON = Duration.ofSeconds(5);

    private SimErrors() {}

    /** An error document of this vendor. */
    private record Told(ErrorKind kind, String code, String words) {}

    /** The answer as an exception. */
    static ProviderException exception(HttpReply reply) {
        Optional<Told> told = told(reply);
        if (told.isEmpty()) {
            return reply.ok()
                    ? reply.unexpected("an unexpected body")
                    : new ProviderException(
                            byStatus(reply.status()),
                            "HTTP " + reply.status() + " " + reply.start(),
                            reply.retryAfter(),
                            null);
        }
        // An error under status 200 is a broken promise, whatever it says.
        ErrorKind kind = reply.ok() ? ErrorKind.PROTOCOL : told.get().kind();
        return new ProviderException(kind, told.get().words(), reply.retryAfter(), null);
    }

    /** Whether the vendor itself, not some gateway, says that there is no such thing. */
    static boolean positivelyGone(HttpReply reply) {
        return reply.status() == 404
                && told(reply).filter(told -> told.code().equals("not_found")).isPresent();
    }

    /** Whether it says that it has no such call. */
    static boolean unsupported(HttpReply reply) {
        return reply.status() == 501
                && told(reply).filter(told -> told.code().equals("unsupported")).isPresent();
    }

    /** Whether another key has this name. */
    static boolean keyNameTaken(HttpReply reply) {
        return told(reply).filter(told -> told.code().equals("key_name_taken")).isPresent();
    }

    /**
     * A create that was not answered with an instance. It counts as refused only when the vendor's own error document says
     * so under a status that says so too.
     */
    static CreateOutcome create(HttpReply reply) {
        Optional<InstanceId> id = id(reply);
        Optional<Told> told = told(reply);
        boolean refused = reply.status() >= 400 && reply.status() < 500 && reply.status() != 408 && told.isPresent();
        if (!refused) {
            String words = told.map(Told::words).orElseGet(reply::start);
            return new CreateOutcome.Unknown("HTTP " + reply.status() + (words.isEmpty() ? "" : " " + words), id);
        }
        return switch (told.get().code()) {
            // Ours from an earlier try, or someone else's: only a search can tell.
            case "name_taken", "token_reused" ->
                new CreateOutcome.Unknown(told.get().words(), id);
            default ->
                new CreateOutcome.NotCreated(told.get().kind(), told.get().words(), id, reply.retryAfter());
        };
    }

    /** A release that was not simply accepted. */
    static ReleaseOutcome release(HttpReply reply) {
        if (positivelyGone(reply)) {
            return new ReleaseOutcome.AlreadyGone();
        }
        ProviderException error = exception(reply);
        return switch (error.kind()) {
            case CONFLICT_STATE, RATE_LIMITED, VENDOR_UNAVAILABLE, NO_CAPACITY ->
                new ReleaseOutcome.RetryLater(error.words(), reply.retryAfter().orElse(SOON));
            case QUOTA,
                    INSUFFICIENT_FUNDS,
                    AUTH,
                    PERMISSION,
                    ACCOUNT_BLOCKED,
                    INVALID_ARGUMENT,
                    NOT_FOUND,
                    DEPRECATED_ENDPOINT,
                    PROTOCOL -> new ReleaseOutcome.Failed(error.kind(), error.words());
        };
    }

    /** An id anywhere it may be; it may be a number. */
    static Optional<InstanceId> id(HttpReply reply) {
        return reply.json()
                .map(body -> body.path("id"))
                .filter(JsonNode::isValueNode)
                .map(JsonNode::asText)
                .filter(id -> !id.isBlank() && !id.equals("null") && id.length() <= 200)
                .map(InstanceId::new);
    }

    private static Optional<Told> told(HttpReply reply) {
        return reply.json()
                .map(body -> body.path("error"))
                .filter(JsonNode::isObject)
                .map(error -> {
                    String code = error.path("code").asText("");
                    String words =
                            reply.words(code + ": " + error.path("message").asText(""));
                    return new Told(kind(code, reply.status()), code, words);
                });
    }

    private static ErrorKind kind(String code, int status) {
        return switch (code) {
            case "no_capacity" -> ErrorKind.NO_CAPACITY;
            case "quota_exceeded" -> ErrorKind.QUOTA;
            case "insufficient_funds" -> ErrorKind.INSUFFICIENT_FUNDS;
            case "unauthorized" -> ErrorKind.AUTH;
            case "forbidden" -> ErrorKind.PERMISSION;
            case "account_blocked" -> ErrorKind.ACCOUNT_BLOCKED;
            case "not_found" -> ErrorKind.NOT_FOUND;
            case "release_refused", "conflict" -> ErrorKind.CONFLICT_STATE;
            case "rate_limited" -> ErrorKind.RATE_LIMITED;
            case "no_such_call", "unsupported" -> ErrorKind.DEPRECATED_ENDPOINT;
            default -> code.startsWith("invalid_") ? ErrorKind.INVALID_ARGUMENT : byStatus(status);
        };
    }

    private static ErrorKind byStatus(int status) {
        if (status >= 500 || status == 408) {
            return ErrorKind.VENDOR_UNAVAILABLE;
        }
        return switch (status) {
            case 401 -> ErrorKind.AUTH;
            case 402 -> ErrorKind.INSUFFICIENT_FUNDS;
            case 403 -> ErrorKind.PERMISSION;
            case 404 -> ErrorKind.NOT_FOUND;
            case 409 -> ErrorKind.CONFLICT_STATE;
            case 410 -> ErrorKind.DEPRECATED_ENDPOINT;
            case 429 -> ErrorKind.RATE_LIMITED;
            case 400, 422 -> ErrorKind.INVALID_ARGUMENT;
            default -> status >= 300 && status < 400 ? ErrorKind.DEPRECATED_ENDPOINT : ErrorKind.PROTOCOL;
        };
    }
}
