package dev.seatrial.vendors.aliyun;

import dev.seatrial.vendors.http.Signing;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The vendor's third signature, {@code ACS3-HMAC-SHA256}. Source: "V3 request body and signature mechanism",
 * help.aliyun.com/zh/sdk/product-overview/v3-request-structure-and-signature; its worked example is in the tests.
 *
 * @param authorization value of the header {@code Authorization}
 * @param signature what in it must not be shown
 */
record AliyunSignature(String authorization, String signature) {
    private static final String ALGORITHM = "ACS3-HMAC-SHA256";

    /**
     * Signs a request without a body, whose parameters are all in the query.
     *
     * @param headers every header that is signed, names in lower case: {@code host} and all {@code x-acs-…}
     */
    static AliyunSignature of(
            String keyId, String secret, String method, Map<String, String> query, Map<String, String> headers) {
        Map<String, String> sorted = new TreeMap<>(headers);
        String names = String.join(";", sorted.keySet());
        String canonical = method + "\n/\n" + canonical(query) + "\n"
                + sorted.entrySet().stream()
                        .map(h -> h.getKey() + ":" + h.getValue().strip() + "\n")
                        .collect(Collectors.joining())
                + "\n" + names + "\n" + headers.getOrDefault("x-acs-content-sha256", Signing.sha256(""));
        String signature = Signing.hex(Signing.hmacSha256(
                secret.getBytes(StandardCharsets.UTF_8), ALGORITHM + "\n" + Signing.sha256(canonical)));
        return new AliyunSignature(
                ALGORITHM + " Credential=" + keyId + ",SignedHeaders=" + names + ",Signature=" + signature, signature);
    }

    private static String canonical(Map<String, String> query) {
        return new TreeMap<>(query)
                .entrySet().stream()
                        .map(p -> Signing.percentEncoded(p.getKey()) + "=" + Signing.percentEncoded(p.getValue()))
                        .collect(Collectors.joining("&"));
    }

    /** Without the signature. */
    @Override
    public String toString() {
        return "AliyunSignature[***]";
    }
}
