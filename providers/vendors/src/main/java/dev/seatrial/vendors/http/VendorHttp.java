package dev.seatrial.vendors.http;

import dev.seatrial.provider.ErrorKind;
import java.io.IOException;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSource;

/**
 * Calls one vendor account. Each call is sent at most once: nothing is retried and no redirect is followed, because a
 * write that is sent twice may be paid twice. Thread-safe.
 */
public final class VendorHttp implements AutoCloseable {
    private static final MediaType JSON = MediaType.get("application/json; charset=utf-8");
    private static final long LARGEST_BODY = 8L << 20;
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofHours(1);
    /** A slower answer says too little about the vendor's clock. */
    private static final Duration PROMPT = Duration.ofSeconds(5);

    private final HttpSettings settings;
    private final HttpUrl base;
    private final Redactor redactor;
    private final Turnstile turnstile;
    private final OkHttpClient client;
    private final AtomicReference<Optional<Duration>> skew = new AtomicReference<>(Optional.empty());

    /** @throws IllegalArgumentException when the base address is no http or https address */
    public VendorHttp(HttpSettings settings) {
        this.settings = settings;
        HttpUrl parsed = HttpUrl.parse(settings.base().toString());
        if (parsed == null) {
            throw new IllegalArgumentException("the address of " + settings.account()
                    + " must start with http:// or https://: " + printable(settings.base()));
        }
        this.base = parsed;
        this.redactor = new Redactor(settings.secrets());
        this.turnstile = new Turnstile(settings.account(), settings.limits(), settings.clock());
        this.client = new OkHttpClient.Builder()
                .connectTimeout(settings.times().connect())
                .readTimeout(settings.times().write())
                .writeTimeout(settings.times().write())
                .callTimeout(settings.times().read())
                .retryOnConnectionFailure(false)
                .followRedirects(false)
                .followSslRedirects(false)
                .eventListenerFactory(call -> new SentListener())
                .build();
    }

    private static String printable(URI uri) {
        return uri.getUserInfo() == null ? uri.toString() : uri.getScheme() + "://***@" + uri.getHost();
    }

    /**
     * Sends it once and returns whatever status came back.
     *
     * @throws NoAnswerException when there is no whole answer; {@link ErrorKind#PROTOCOL} for one that is too large
     */
    public HttpReply send(HttpCall call) throws NoAnswerException {
        Turnstile.Pass pass = turnstile.enter(call.lane());
        boolean healthy = false;
        try {
            HttpReply reply = exchange(call);
            healthy = reply.status() < 500;
            return reply;
        } finally {
            pass.done(healthy);
        }
    }

    /** As {@link #send}, for calls on which nothing depends but the answer. */
    public HttpReply read(HttpCall call) {
        try {
            return send(call);
        } catch (NoAnswerException e) {
            throw e.asProviderException();
        }
    }

    /** Vendor's clock minus ours, from the latest prompt answer that carried a date. */
    public Optional<Duration> clockSkew() {
        return skew.get();
    }

    private HttpReply exchange(HttpCall call) throws NoAnswerException {
        String label = call.toString();
        Redactor words = call.secrets().isEmpty() ? redactor : redactor.with(call.secrets());
        Instant before = settings.clock().instant();
        SentListener.Sent sent = new SentListener.Sent();
        Call http = client.newCall(request(call, sent));
        if (call.lane() == Lane.CREATE) {
            // A kept connection that the vendor closed meanwhile would leave it unknown whether anything was created.
            client.connectionPool().evictAll();
        }
        if (call.writes()) {
            http.timeout().timeout(settings.times().write().toMillis(), TimeUnit.MILLISECONDS);
        }
        try (Response response = http.execute()) {
            learnSkew(response, before);
            return new HttpReply(
                    label,
                    response.code(),
                    Optional.ofNullable(response.header("Content-Type")).orElse(""),
                    capped(response),
                    retryAfter(response),
                    words);
        } catch (IOException e) {
            throw new NoAnswerException(
                    e instanceof TooLargeException ? ErrorKind.PROTOCOL : ErrorKind.VENDOR_UNAVAILABLE,
                    sent.any(),
                    words.words(label + ": " + said(e) + (sent.any() ? "" : " (nothing was sent)")),
                    Optional.empty());
        }
    }

    private static String said(IOException e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    private Request request(HttpCall call, SentListener.Sent sent) {
        HttpUrl.Builder url = base.newBuilder().addEncodedPathSegments(call.path());
        call.query().forEach(url::addQueryParameter);
        Request.Builder request = new Request.Builder()
                .url(url.build())
                .header("Accept", "application/json")
                .tag(SentListener.Sent.class, sent);
        settings.headers().forEach(request::header);
        call.headers().forEach(request::header);
        RequestBody body = call.body()
                .map(text -> RequestBody.create(text, JSON))
                .orElseGet(
                        () -> call.writes() && !call.method().equals("DELETE") ? RequestBody.create("", null) : null);
        return request.method(call.method(), body).build();
    }

    private static byte[] capped(Response response) throws IOException {
        BufferedSource source = response.body().source();
        if (source.request(LARGEST_BODY + 1)) {
            throw new TooLargeException("the answer is larger than " + LARGEST_BODY + " bytes");
        }
        return source.readByteArray();
    }

    private void learnSkew(Response response, Instant before) {
        Instant after = settings.clock().instant();
        Duration took = Duration.between(before, after);
        String date = response.header("Date");
        if (date == null || took.compareTo(PROMPT) > 0 || took.isNegative()) {
            return;
        }
        parse(date).ifPresent(vendor -> {
            // The header has whole seconds: the middle of that second against the middle of the exchange.
            Instant ours = before.plus(took.dividedBy(2));
            skew.set(Optional.of(Duration.between(ours, vendor.plusMillis(500))));
        });
    }

    private Optional<Duration> retryAfter(Response response) {
        String value = response.header("Retry-After");
        if (value == null) {
            return Optional.empty();
        }
        Optional<Duration> told = value.strip().matches("[0-9]{1,9}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(value.strip())))
                : parse(value)
                        .map(at -> Duration.between(
                                Optional.ofNullable(response.header("Date"))
                                        .flatMap(VendorHttp::parse)
                                        .orElseGet(() -> settings.clock().instant()),
                                at));
        return told.map(wait -> wait.isNegative() ? Duration.ZERO : wait)
                .map(wait -> wait.compareTo(LONGEST_RETRY_AFTER) > 0 ? LONGEST_RETRY_AFTER : wait);
    }

    private static Optional<Instant> parse(String httpDate) {
        try {
            return Optional.of(ZonedDateTime.parse(httpDate.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }

    private static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }

    /** Notes when the first byte of a request may have left. */
    private static final class SentListener extends EventListener {
        /** Whether any of one request may have left. */
        static final class Sent {
            private final AtomicBoolean any = new AtomicBoolean();

            boolean any() {
                return any.get();
            }
        }

        @Override
        public void requestHeadersStart(Call call) {
            Sent sent = call.request().tag(Sent.class);
            if (sent != null) {
                sent.any.set(true);
            }
        }
    }
}
