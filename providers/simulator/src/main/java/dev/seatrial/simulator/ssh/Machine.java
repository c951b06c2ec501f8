package dev.seatrial.simulator.ssh;

import dev.seatrial.simulator.cloud.SimInstance;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;

/**
 * A rented machine that is up.
 *
 * @param root folder of this computer that is the machine's root
 * @param hostKey its own
 * @param port of loopback
 */
record Machine(SimInstance instance, Path root, VirtualShell shell, KeyPair hostKey, int port) {
    static KeyPair newHostKey() throws IOException {
        try {
            return KeyUtils.generateKeyPair("ecdsa-sha2-nistp256", 256);
        } catch (GeneralSecurityException e) {
            throw new IOException("no host key can be made", e);
        }
    }

    /** Whether it is the key that was registered for this instance. */
    boolean knows(PublicKey key) {
        try {
            PublicKey registered =
                    PublicKeyEntry.parsePublicKeyEntry(instance.publicKey()).resolvePublicKey(null, null, null);
            return KeyUtils.compareKeys(registered, key);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            // What was registered is no key: nobody gets in, as on a real machine.
            return false;
        }
    }

    /** Name and id, for fault rules. */
    String subject() {
        return instance.name() + " " + instance.id();
    }
}
