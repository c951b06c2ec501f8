package dev.seatrial.vendors.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** An answer as it came, whatever it says. Only what was asked for is believed. */
public final class HttpReply {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final String call;
    private final int status;
    private final String contentType;
    private final byte[] body;
    private final Optional<Duration> retryAfter;
    private final Redactor redactor;

    HttpReply(
            String call,
            int status,
            String contentType,
            byte[] body,
            Optional<Duration> retryAfter,
            Redactor redactor) {
        this.call = call;
        this.status = status;
        this.contentType = contentType;
        this.body = body;
        this.retryAfter = retryAfter;
        this.redactor = redactor;
    }

    public int status() {
        return status;
    }

    public boolean ok() {
        return status >= 200 && status < 300;
    }

    public boolean empty() {
        return body.length == 0;
    }

    /** From the Retry-After header, seconds or date. */
    public Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /** The body as JSON, if it says it is and it is. */
    public Optional<JsonNode> json() {
        String type = contentType.toLowerCase(Locale.ROOT);
        boolean stated = type.startsWith("application/json") || type.matches("application/[a-z.-]+\\+json.*");
        if (!stated || body.length == 0) {
            return Optional.empty();
        }
        try {
            JsonNode node = JSON.readTree(text());
            return node.isMissingNode() ? Optional.empty() : Optional.of(node);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /**
     * The body as a JSON object.
     *
     * @throws ProviderException {@link ErrorKind#PROTOCOL} for anything else: mark-up, nothing, half a document, a list
     */
    public JsonNode object() {
        return json().filter(JsonNode::isObject)
                .orElseThrow(() -> unexpected(
                        body.length == 0
                                ? "an empty answer"
                                : contentType.isEmpty() ? "an answer of no type" : "no readable JSON object"));
    }

    /** An answer that cannot be believed. */
    public ProviderException unexpected(String what) {
        return new ProviderException(
                ErrorKind.PROTOCOL,
                redactor.words(
                        call + " answered " + status + " with " + what + (body.length == 0 ? "" : ": " + start())));
    }

    /** The vendor's text, one short redacted line. */
    public String words(String text) {
        return redactor.words(text);
    }

    /** The body as one short redacted line. */
    public String start() {
        return redactor.words(text());
    }

    private String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** Shows status and call only. */
    @Override
    public String toString() {
        return call + " -> " + status;
    }
}
