package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.Signing;
import dev.seatrial.vendors.tencent.TencentApi.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a key gets onto a machine. The vendor registers RSA keys only, per region and under names of 25 characters; the lease's name
 * is in the key's tag. Keys of other types travel in the start-up script, and nothing of them is left behind.
 */
final class TencentKeys {
    private static final Pattern LINE =
            Pattern.compile("([a-z0-9@.-]{3,60}) ([A-Za-z0-9+/]{16,2000}={0,3})( [^\\r\\n]*)?");
    /** What the vendor takes as user data, before it is encoded. */
    private static final int MOST_USER_DATA = 16 * 1024;

    private TencentKeys() {}

    /** At most 25 of {@code [A-Za-z0-9_]}, the same for the same lease. */
    static String name(LeaseName lease) {
        return "st_" + Signing.sha256(lease.text()).substring(0, 20);
    }

    static boolean registered(PublicKey key) {
        return key.line().startsWith("ssh-rsa ");
    }

    /** The key's id in every region as {@code region=skey-…}, or the key itself. */
    static KeyRef ensure(TencentApi api, List<String> regions, LeaseName lease, PublicKey key) {
        String plain = plain(key);
        if (!registered(key)) {
            return new KeyRef(plain);
        }
        List<String> ids = new ArrayList<>();
        for (String region : regions) {
            ids.add(region + "=" + register(api, region, lease, key));
        }
        return new KeyRef(String.join(",", ids));
    }

    private static String register(TencentApi api, String region, LeaseName lease, PublicKey key) {
        ObjectNode body = TencentMapper.object()
                .put("KeyName", name(lease))
                .put("ProjectId", 0)
                .put("PublicKey", key.line());
        body.putArray("TagSpecification")
                .addObject()
                .put("ResourceType", "keypair")
                .putArray("Tags")
                .addObject()
                .put("Key", TencentMapper.TAG)
                .put("Value", lease.text());
        Answer answer = api.ask(Lane.CREATE, region, "ImportKeyPair", body);
        String id = TencentErrors.keyNameTaken(answer)
                ? known(api, region, lease, key)
                : TencentMapper.text(TencentErrors.document(answer).path("KeyId"));
        if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
            throw TencentErrors.odd(answer, "a key without an id");
        }
        return id;
    }

    private static String known(TencentApi api, String region, LeaseName lease, PublicKey key) {
        ObjectNode query = TencentMapper.object();
        query.putArray("Filters")
                .addObject()
                .put("Name", "key-name")
                .putArray("Values")
                .add(name(lease));
        for (JsonNode pair :
                TencentPages.all(api, Lane.CREATE, region, "DescribeKeyPairs", query, "KeyPairSet", "KeyId")) {
            boolean same = TencentMapper.text(pair.path("KeyName")).equals(name(lease))
                    && (TencentMapper.text(pair.path("PublicKey")) + " ").startsWith(plain(key) + " ");
            if (same) {
                return TencentMapper.text(pair.path("KeyId"));
            }
        }
        throw new ProviderException(
                ErrorKind.INVALID_ARGUMENT,
                "another key is registered under the name " + name(lease) + " in " + region);
    }

    /** The registered id in that region, for a key that is registered. */
    static Optional<String> id(KeyRef key, String region) {
        for (String part : key.value().split(",")) {
            if (part.startsWith(region + "=")) {
                return Optional.of(part.substring(region.length() + 1));
            }
        }
        return Optional.empty();
    }

    /**
     * The start-up script, encoded: the key for root and whoever else the image lets in, then the script that was asked for. Empty
     * when there is nothing to do.
     *
     * @throws ProviderException {@link ErrorKind#INVALID_ARGUMENT} when it is too long
     */
    static Optional<String> userData(PublicKey key, Optional<String> script) {
        if (registered(key)) {
            return script.map(TencentKeys::encoded);
        }
        String install = "#!/bin/sh\n"
                + "key='" + plain(key) + "'\n"
                + "for home in /root /home/*; do\n"
                + "  [ -d \"$home\" ] || continue\n"
                + "  mkdir -p \"$home/.ssh\" && printf '%s\\n' \"$key\" >>\"$home/.ssh/authorized_keys\"\n"
                + "  chown -R \"$(stat -c %u:%g \"$home\")\" \"$home/.ssh\"\n"
                + "  chmod 700 \"$home/.ssh\" && chmod 600 \"$home/.ssh/authorized_keys\"\n"
                + "done\n";
        String then = script.map(s -> "file=$(mktemp) && echo '"
                        + Base64.getEncoder().encodeToString(s.getBytes(StandardCharsets.UTF_8))
                        + "' | base64 -d >\"$file\" && chmod 700 \"$file\" && exec \"$file\"\n")
                .orElse("");
        return Optional.of(encoded(install + then));
    }

    private static String encoded(String script) {
        byte[] bytes = script.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_USER_DATA) {
            throw new ProviderException(
                    ErrorKind.INVALID_ARGUMENT,
                    "the start-up script has " + bytes.length + " bytes with the key; Tencent Cloud takes "
                            + MOST_USER_DATA);
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Type and blob, which hold nothing that a shell could mistake. */
    private static String plain(PublicKey key) {
        Matcher line = LINE.matcher(key.line().strip());
        if (!line.matches()) {
            throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "this is no public key in OpenSSH's form");
        }
        return line.group(1) + " " + line.group(2);
    }
}
