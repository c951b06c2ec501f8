package dev.seatrial.vendors.tencent;

import dev.seatrial.vendors.http.Signing;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;

/**
 * The vendor's third signature, {@code TC3-HMAC-SHA256}, over a JSON body. Source: "Signature v3",
 * cloud.tencent.com/document/api/213/30654; its worked example is in the tests.
 *
 * @param authorization value of the header {@code Authorization}
 * @param signature what in it must not be shown
 */
record TencentSignature(String authorization, String signature) {
    static final String CONTENT_TYPE = "application/json; charset=utf-8";
    private static final String ALGORITHM = "TC3-HMAC-SHA256";
    private static final String NAMES = "content-type;host;x-tc-action";

    /**
     * @param service of the endpoint, e.g. {@code cvm}
     * @param at the same time as in the header {@code X-TC-Timestamp}
     */
    static TencentSignature of(
            String secretId, String secretKey, String service, String host, String action, String body, Instant at) {
        String canonical = "POST\n/\n\ncontent-type:" + CONTENT_TYPE + "\nhost:" + host + "\nx-tc-action:"
                + action.toLowerCase(Locale.ROOT) + "\n\n" + NAMES + "\n" + Signing.sha256(body);
        String date = at.atOffset(ZoneOffset.UTC).toLocalDate().toString();
        String scope = date + "/" + service + "/tc3_request";
        String toSign = ALGORITHM + "\n" + at.getEpochSecond() + "\n" + scope + "\n" + Signing.sha256(canonical);
        byte[] key = ("TC3" + secretKey).getBytes(StandardCharsets.UTF_8);
        for (String part : new String[] {date, service, "tc3_request"}) {
            key = Signing.hmacSha256(key, part);
        }
        String signature = Signing.hex(Signing.hmacSha256(key, toSign));
        return new TencentSignature(
                ALGORITHM + " Credential=" + secretId + "/" + scope + ", SignedHeaders=" + NAMES + ", Signature="
                        + signature,
                signature);
    }

    /** Without the signature. */
    @Override
    public String toString() {
        return "TencentSignature[***]";
    }
}
