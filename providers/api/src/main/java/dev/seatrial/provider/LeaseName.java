package dev.seatrial.provider;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name an instance carries at the vendor: {@code st-<installation>-<lease>-t<deadline epoch seconds>}. It holds all a
 * sweep needs when everything else is lost: whose it is, which lease it serves, and when it must be gone.
 *
 * @param installation id of the ledger that made it, 4 to 12 of {@code [a-z0-9]}
 * @param lease id of the lease, 4 to 24 of {@code [a-z0-9]}
 * @param deadline when the instance must be released; whole seconds, after 1970
 */
public record LeaseName(String installation, String lease, Instant deadline) {
    private static final Pattern FORM = Pattern.compile("st-([a-z0-9]{4,12})-([a-z0-9]{4,24})-t([0-9]{1,12})");

    public LeaseName {
        deadline = Instant.ofEpochSecond(deadline.getEpochSecond());
        if (!FORM.matcher(text(installation, lease, deadline)).matches()) {
            throw new IllegalArgumentException("not a lease name: " + text(installation, lease, deadline));
        }
    }

    /** Reads a name; empty for anything that this project did not write. Never throws. */
    public static Optional<LeaseName> parse(String name) {
        Matcher m = FORM.matcher(name);
        return m.matches()
                ? Optional.of(new LeaseName(m.group(1), m.group(2), Instant.ofEpochSecond(Long.parseLong(m.group(3)))))
                : Optional.empty();
    }

    /** The name as the vendor sees it: at most 60 of {@code [a-z0-9-]}. */
    public String text() {
        return text(installation, lease, deadline);
    }

    private static String text(String installation, String lease, Instant deadline) {
        return "st-" + installation + "-" + lease + "-t" + deadline.getEpochSecond();
    }

    @Override
    public String toString() {
        return text();
    }
}
