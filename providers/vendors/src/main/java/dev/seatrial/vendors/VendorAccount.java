package dev.seatrial.vendors;

import dev.seatrial.provider.ProviderId;
import java.net.URI;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One configured account, as its factory sees it.
 *
 * @param id its name
 * @param settings settings that are no secrets, by name
 * @param secrets what a secret setting holds now; asked anew for every use, so that a changed key counts. Throws
 *     {@link IllegalArgumentException} in plain words when it is not to be had
 * @param clock the application's clock
 */
public record VendorAccount(
        ProviderId id, Map<String, String> settings, Function<String, Optional<String>> secrets, InstantSource clock) {
    public VendorAccount {
        settings = Map.copyOf(settings);
    }

    public Optional<String> setting(String name) {
        return Optional.ofNullable(settings.get(name));
    }

    /** @throws IllegalArgumentException when it is missing */
    public String required(String name) {
        return setting(name).orElseThrow(() -> new IllegalArgumentException(name + " is missing"));
    }

    /** A base URL, without a trailing slash. @throws IllegalArgumentException when it is none */
    public URI url(String name, String otherwise) {
        String text = setting(name).orElse(otherwise);
        URI uri = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
        if (uri.getHost() == null || !("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()))) {
            throw new IllegalArgumentException(name + " is no web address: " + text);
        }
        return uri;
    }

    /** A secret to be read when it is needed. @throws IllegalArgumentException at once when it is not to be had now */
    public Supplier<String> secret(String name) {
        Supplier<String> reader =
                () -> secrets.apply(name).orElseThrow(() -> new IllegalArgumentException(name + " is missing"));
        if (reader.get().isBlank()) {
            throw new IllegalArgumentException(name + " is empty");
        }
        return reader;
    }

    /** Without what the functions hold. */
    @Override
    public String toString() {
        return "VendorAccount[" + id + "]";
    }
}
