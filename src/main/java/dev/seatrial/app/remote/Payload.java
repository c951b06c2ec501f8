package dev.seatrial.app.remote;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The program that runs on the machine under test.
 *
 * @param content the zip file
 * @param sha256 its digest, hex
 */
public record Payload(byte[] content, String sha256) {
    /** The one that was built with this service. */
    public static Payload bundled() {
        try (InputStream in = Payload.class.getResourceAsStream("/payload.pyz")) {
            if (in == null) {
                throw new IllegalStateException("payload.pyz is not on the class path: build with Maven");
            }
            return of(in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException("payload.pyz cannot be read", e);
        }
    }

    static Payload of(byte[] content) {
        return new Payload(content, sha256(content));
    }

    static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
