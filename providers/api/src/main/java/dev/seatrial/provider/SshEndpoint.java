package dev.seatrial.provider;

/**
 * Where SSH listens.
 *
 * @param host name or address
 * @param port 1 to 65535
 * @param user login name
 */
public record SshEndpoint(String host, int port, String user) {
    public SshEndpoint {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port must be 1 to 65535: " + port);
        }
    }
}
