package dev.seatrial.provider;

/**
 * An SSH public key.
 *
 * @param line one line in OpenSSH form: type, base64 blob, comment; no line break
 */
public record PublicKey(String line) {
    public PublicKey {
        if (line.isBlank() || line.contains("\n") || line.contains("\r")) {
            throw new IllegalArgumentException("an OpenSSH public key is one line");
        }
    }
}
