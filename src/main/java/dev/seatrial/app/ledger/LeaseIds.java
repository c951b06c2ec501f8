package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LeaseKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Lease ids and tokens, derived from installation and key, so that even a ledger restored from yesterday's copy issues the
 * same ones for the same request and a create cannot happen twice.
 */
final class LeaseIds {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int INSTALLATION_LENGTH = 8;
    private static final int LEASE_LENGTH = 12;

    private LeaseIds() {}

    /** 8 random characters (40 bits). */
    static String newInstallation() {
        byte[] random = new byte[INSTALLATION_LENGTH];
        new SecureRandom().nextBytes(random);
        return letters(random, INSTALLATION_LENGTH);
    }

    /** 12 characters (60 bits). */
    static String lease(String installation, LeaseKey key) {
        return letters(digest("lease", installation, key), LEASE_LENGTH);
    }

    /** In the form of a UUID, which every vendor's token field takes. */
    static String token(String installation, LeaseKey key) {
        byte[] hash = digest("token", installation, key);
        long high = 0;
        long low = 0;
        for (int i = 0; i < 8; i++) {
            high = high << 8 | hash[i] & 0xff;
            low = low << 8 | hash[i + 8] & 0xff;
        }
        // Version 4 and variant bits: some vendors check the form.
        return new UUID(high & ~0xf000L | 0x4000L, low & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L).toString();
    }

    private static String letters(byte[] bytes, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(bytes[i] & 31));
        }
        return text.toString();
    }

    private static byte[] digest(String purpose, String installation, LeaseKey key) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (String part : new String[] {
                purpose,
                installation,
                key.evaluation(),
                key.candidate(),
                key.phase().word(),
                Integer.toString(key.ordinal())
            }) {
                sha.update(part.getBytes(StandardCharsets.UTF_8));
                sha.update((byte) 0);
            }
            return sha.digest();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
