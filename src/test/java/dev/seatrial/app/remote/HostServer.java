package dev.seatrial.app.remote;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyEncryptionContext;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.helpers.AbstractSession;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.forward.AcceptAllForwardingFilter;
import org.apache.sshd.server.shell.ProcessShellFactory;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;

/** A real host on loopback: an SSH server whose commands run in this machine's own shell. */
final class HostServer implements AutoCloseable {
    static final String USER = "tester";

    private final SshServer server = SshServer.setUpDefaultServer();
    private final List<KeyPair> hostKeys;
    final List<String> commands = new CopyOnWriteArrayList<>();
    final Set<String> keys = ConcurrentHashMap.newKeySet();
    volatile Optional<String> password = Optional.empty();

    private HostServer(List<KeyPair> hostKeys, int port, boolean sftp) {
        this.hostKeys = hostKeys;
        server.setHost("127.0.0.1");
        server.setPort(port);
        server.setKeyPairProvider(KeyPairProvider.wrap(hostKeys));
        server.setPublickeyAuthenticator((user, key, session) -> keys.contains(fingerprint(key)));
        server.setPasswordAuthenticator((user, given, session) -> password.equals(Optional.of(given)));
        server.setForwardingFilter(AcceptAllForwardingFilter.INSTANCE);
        server.setCommandFactory((channel, command) -> {
            commands.add(command);
            return new ProcessShellFactory(command, "/bin/sh", "-c", command).createShell(channel);
        });
        if (sftp) {
            server.setSubsystemFactories(List.of(new SftpSubsystemFactory()));
        }
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static HostServer start() {
        return new HostServer(List.of(pair("ssh-ed25519")), 0, true);
    }

    static HostServer with(List<KeyPair> hostKeys, int port) {
        return new HostServer(hostKeys, port, true);
    }

    static HostServer withoutSftp() {
        return new HostServer(List.of(pair("ssh-ed25519")), 0, false);
    }

    int port() {
        return server.getPort();
    }

    String fingerprint() {
        return fingerprint(hostKeys.get(0).getPublic());
    }

    /** Cuts every connection, as a network would. */
    void drop() {
        for (AbstractSession session : server.getActiveSessions()) {
            session.close(true);
        }
    }

    int sessions() {
        return server.getActiveSessions().size();
    }

    HostServer trusting(KeyPair pair) {
        keys.add(fingerprint(pair.getPublic()));
        return this;
    }

    /** A login for the tester, with nothing to show yet. */
    SshTarget.Login login() {
        return new SshTarget.Login(
                "127.0.0.1", port(), USER, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    static SshTarget.Login key(SshTarget.Login l, Path key, Optional<String> passphrase) {
        return new SshTarget.Login(
                l.host(), l.port(), l.user(), Optional.of(key), passphrase, l.password(), l.fingerprint());
    }

    static SshTarget.Login password(SshTarget.Login l, String password) {
        return new SshTarget.Login(
                l.host(), l.port(), l.user(), l.key(), l.passphrase(), Optional.of(password), l.fingerprint());
    }

    static SshTarget.Login fingerprint(SshTarget.Login l, String fingerprint) {
        return new SshTarget.Login(
                l.host(), l.port(), l.user(), l.key(), l.passphrase(), l.password(), Optional.of(fingerprint));
    }

    static KeyPair pair(String type) {
        try {
            int size = type.equals("ssh-rsa") ? 2048 : 256;
            return KeyUtils.generateKeyPair(type, size);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static String fingerprint(java.security.PublicKey key) {
        return KeyUtils.getFingerPrint(BuiltinDigests.sha256, key);
    }

    /** Writes a private key as ssh-keygen does. */
    static Path write(KeyPair pair, Path file, Optional<String> passphrase) {
        try {
            OpenSSHKeyEncryptionContext encryption = null;
            if (passphrase.isPresent()) {
                encryption = new OpenSSHKeyEncryptionContext();
                encryption.setPassword(passphrase.get());
                encryption.setCipherType("256");
            }
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(pair, "tester", encryption, text);
            return Files.write(file, text.toByteArray());
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    List<KeyPair> hostKeys() {
        return new ArrayList<>(hostKeys);
    }

    @Override
    public void close() {
        try {
            server.stop(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
