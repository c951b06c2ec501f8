package dev.seatrial.vendors.http;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What APIs that are called with signed requests have in common. */
public final class Signing {
    private Signing() {}

    /** SHA-256 in lower-case hexadecimal. */
    public static String sha256(String text) {
        try {
            return hex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    public static byte[] hmacSha256(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }

    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** Percent-encoded as RFC 3986 wants it: all but letters, digits and {@code -_.~}. */
    public static String percentEncoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    /**
     * Says whose clock is off by how much, for a signature that was refused because of its time.
     *
     * @param ours our clock when it was signed
     * @param skew vendor's clock minus ours
     */
    public static String clocks(Instant ours, Duration skew) {
        Instant here = ours.truncatedTo(ChronoUnit.SECONDS);
        return "this computer's clock says " + here + ", the vendor's "
                + ours.plus(skew).truncatedTo(ChronoUnit.SECONDS) + ": set this computer's clock, it is "
                // A Date header has whole seconds: what is beyond one is half a second of guessing.
                + Math.abs(skew.getSeconds()) + " s " + (skew.isNegative() ? "fast" : "slow");
    }
}
