package dev.seatrial.app.remote;

import dev.seatrial.app.remote.MachineException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.FilePasswordProvider;
import org.apache.sshd.common.util.security.SecurityUtils;

/** Private keys to log in with. Read anew for every connection: a user may have mended the file. */
@FunctionalInterface
interface Identities {
    List<KeyPair> load() throws MachineException;

    /** The key of a lease. */
    static Identities of(KeyPair pair) {
        return () -> List.of(pair);
    }

    /** A key file; an unreadable one is an error in plain words. */
    static Identities file(Path file, Optional<String> passphrase) {
        return () -> {
            try (InputStream in = Files.newInputStream(file)) {
                Iterable<KeyPair> pairs = SecurityUtils.loadKeyPairIdentities(
                        null,
                        NamedResource.ofName(file.toString()),
                        in,
                        passphrase.map(FilePasswordProvider::of).orElse(FilePasswordProvider.EMPTY));
                List<KeyPair> loaded = new ArrayList<>();
                if (pairs != null) {
                    pairs.forEach(loaded::add);
                }
                if (loaded.isEmpty()) {
                    throw new MachineException(Kind.LOCAL, "key file " + file + " holds no private key");
                }
                return loaded;
            } catch (NoSuchFileException e) {
                throw new MachineException(Kind.LOCAL, "there is no key file " + file, e);
            } catch (MachineException e) {
                throw e;
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                // The library answers a wrong passphrase with any of these.
                String likely = passphrase.isPresent()
                        ? "is the passphrase right?"
                        : "is it protected by a passphrase? Then set 'passphrase'";
                throw new MachineException(Kind.LOCAL, "cannot read key file " + file + " (" + likely + ")", e);
            }
        };
    }

    /** What a plain {@code ssh} would try from a folder; those with a passphrase are left out. */
    static Identities usual(Path folder) {
        return () -> {
            List<KeyPair> loaded = new ArrayList<>();
            for (String name : List.of("id_ed25519", "id_ecdsa", "id_rsa")) {
                Path file = folder.resolve(name);
                if (Files.isReadable(file)) {
                    try {
                        loaded.addAll(file(file, Optional.empty()).load());
                    } catch (MachineException e) {
                        continue;
                    }
                }
            }
            return loaded;
        };
    }
}
