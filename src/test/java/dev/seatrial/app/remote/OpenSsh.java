package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.awaitility.Awaitility;

/** OpenSSH's own server on loopback, with an Ed25519 host key only and one Ed25519 user key. */
final class OpenSsh implements AutoCloseable {
    private final Process process;
    final int port;
    final Path authorizedKeys;
    final Path userKey;
    final String fingerprint;
    /** What those who log in have as their home. */
    final Path userHome;

    private OpenSsh(Process process, int port, Path authorizedKeys, Path userKey, String fingerprint, Path userHome) {
        this.process = process;
        this.port = port;
        this.authorizedKeys = authorizedKeys;
        this.userKey = userKey;
        this.fingerprint = fingerprint;
        this.userHome = userHome;
    }

    /** Where the server program is; empty on machines without it. */
    static Optional<Path> program() {
        return List.of("/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd").stream()
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    static OpenSsh start(Path home, String passphrase) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        KeyPair host = HostServer.pair("ssh-ed25519");
        Path hostKey = HostServer.write(host, home.resolve("host_key"), Optional.empty());
        KeyPair user = HostServer.pair("ssh-ed25519");
        Path userKey = HostServer.write(user, home.resolve("user_key"), Optional.of(passphrase));
        Path authorized = Files.writeString(
                home.resolve("authorized_keys"), PublicKeyEntry.toString(user.getPublic()) + " tester\n");
        new LocalMachine().exec(Exec.of("chmod 600 '" + hostKey + "'", Duration.ofSeconds(5)));
        if (ProcessHandle.current().info().user().orElse("").equals("root")) {
            Files.createDirectories(Path.of("/run/sshd"));
        }
        Path userHome = Files.createDirectories(home.resolve("user-home"));
        Files.writeString(userHome.resolve("notes.txt"), "the user's own\n");
        Path config = Files.writeString(
                home.resolve("sshd_config"),
                String.join(
                        "\n",
                        "Port " + port,
                        "ListenAddress 127.0.0.1",
                        "HostKey " + hostKey,
                        "HostKeyAlgorithms ssh-ed25519",
                        "PidFile none",
                        "SetEnv HOME=" + userHome,
                        "AuthorizedKeysFile " + authorized,
                        "PubkeyAcceptedAlgorithms ssh-ed25519",
                        "PasswordAuthentication no",
                        "KbdInteractiveAuthentication no",
                        "PermitRootLogin yes",
                        "StrictModes no",
                        "UsePAM no",
                        "Subsystem sftp internal-sftp",
                        ""));
        Path log = home.resolve("sshd.log");
        Process process = new ProcessBuilder(program().orElseThrow().toString(), "-D", "-e", "-f", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            assertThat(process.isAlive()).as(() -> read(log)).isTrue();
            return listens(port);
        });
        return new OpenSsh(process, port, authorized, userKey, HostServer.fingerprint(host.getPublic()), userHome);
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean listens(int port) {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return probe.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends every connection, as a restarted sshd would not: the children that serve them. */
    void dropConnections() {
        process.children().forEach(c -> {
            c.descendants().forEach(ProcessHandle::destroy);
            c.destroyForcibly();
        });
    }

    SshTarget.Login login(String passphrase) {
        return new SshTarget.Login(
                "127.0.0.1",
                port,
                System.getProperty("user.name"),
                Optional.of(userKey),
                Optional.of(passphrase),
                Optional.empty(),
                Optional.of(fingerprint));
    }

    @Override
    public void close() {
        process.children().forEach(ProcessHandle::destroyForcibly);
        process.destroy();
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> !process.isAlive());
    }
}
