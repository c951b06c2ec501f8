package dev.seatrial.app.remote;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A handed-over machine behind SSH.
 *
 * @param login how to get in
 * @param jump the host through which it is reached
 * @param gpu see {@link Target#gpu()}
 * @param gpus see {@link Target#gpus()}
 * @param dir see {@link Target#dir()}
 */
public record SshTarget(Login login, Optional<Login> jump, Optional<String> gpu, OptionalInt gpus, Optional<String> dir)
        implements Target {
    /**
     * How to log in to one host. With neither key nor password the user's usual key files are tried.
     *
     * @param host name or address
     * @param port 1 to 65535
     * @param user login name
     * @param key private key file
     * @param passphrase of the key file
     * @param password of the user
     * @param fingerprint host key's {@code SHA256:…} as OpenSSH shows it; empty = trusted on first use
     */
    public record Login(
            String host,
            int port,
            String user,
            Optional<java.nio.file.Path> key,
            Optional<String> passphrase,
            Optional<String> password,
            Optional<String> fingerprint) {
        /** Without secrets. */
        @Override
        public String toString() {
            return user + "@" + host + ":" + port;
        }
    }
}
