package dev.seatrial.provider;

import java.util.regex.Pattern;

/**
 * The name under which a vendor account is configured, e.g. {@code lambda} or {@code aliyun-beijing}.
 *
 * @param value 1 to 40 of {@code [a-z0-9-]}, starting with a letter or digit
 */
public record ProviderId(String value) implements Comparable<ProviderId> {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");

    public ProviderId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("provider name must be 1 to 40 of [a-z0-9-]: '" + value + "'");
        }
    }

    @Override
    public int compareTo(ProviderId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
