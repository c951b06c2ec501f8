package dev.seatrial.app.remote;

import dev.seatrial.provider.PublicKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.FilePasswordProvider;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.util.security.SecurityUtils;

/**
 * Lease keys (ECDSA P-256, which every vendor and every OpenSSH takes) and pinned host keys as files of their owner only.
 * The key files have OpenSSH's form, so that a person can log in with them while the lease lives.
 *
 * <p>Failures of the disk are {@link UncheckedIOException}: nothing can be rented without a key.
 */
public final class FileLeaseKeys implements LeaseKeys, HostKeyPins {
    private static final Pattern LEASE = Pattern.compile("[a-z0-9]{1,64}");
    private static final Pattern PIN = Pattern.compile("[a-z0-9]{1,64}(\\.jump)?");

    private final Path folder;
    private final List<Consumer<String>> onForget = new CopyOnWriteArrayList<>();

    /** @param folder made when it is not there, for its owner only */
    public FileLeaseKeys(Path folder) {
        this.folder = folder;
    }

    @Override
    public PublicKey publicKey(String lease) {
        return new PublicKey(PublicKeyEntry.toString(keyPair(lease).getPublic()) + " seatrial-" + lease);
    }

    /** The pair itself; made if there is none. */
    public synchronized KeyPair keyPair(String lease) {
        Path file = file(LEASE, lease, "");
        try {
            if (!Files.exists(file)) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp256r1"));
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(
                        generator.generateKeyPair(), "seatrial-" + lease, null, text);
                write(file, text.toByteArray());
            }
            try (InputStream in = Files.newInputStream(file)) {
                return SecurityUtils.loadKeyPairIdentities(
                                null, NamedResource.ofName(lease), in, FilePasswordProvider.EMPTY)
                        .iterator()
                        .next();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep the SSH key of lease " + lease + " in " + folder, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot make or read the SSH key " + file, e);
        }
    }

    /** Has something done before a lease's keys go, e.g. its sessions closed. */
    void onForget(Consumer<String> action) {
        onForget.add(action);
    }

    @Override
    public void forget(String lease) {
        onForget.forEach(action -> action.accept(lease));
        remove(lease);
    }

    private synchronized void remove(String lease) {
        try {
            for (String suffix : new String[] {"", ".host", ".jump.host"}) {
                Files.deleteIfExists(file(LEASE, lease, suffix));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove the SSH key of lease " + lease, e);
        }
    }

    @Override
    public Optional<String> pinned(String name) {
        try {
            return Optional.of(Files.readString(file(PIN, name, ".host")).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the pinned host key of " + name, e);
        }
    }

    @Override
    public synchronized void pin(String name, String fingerprint) {
        try {
            Path file = file(PIN, name, ".host");
            if (!Files.exists(file)) {
                write(file, (fingerprint + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot pin the host key of " + name, e);
        }
    }

    private Path file(Pattern form, String name, String suffix) {
        if (!form.matcher(name).matches()) {
            throw new IllegalArgumentException("not a lease id: " + Text.line(name, 60));
        }
        return folder.resolve(name + suffix);
    }

    /** Under another name first: a crash must never leave half a key behind. */
    private void write(Path file, byte[] content) throws IOException {
        boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] dirMode = posix ? attributes("rwx------") : new FileAttribute<?>[0];
        FileAttribute<?>[] fileMode = posix ? attributes("rw-------") : new FileAttribute<?>[0];
        Files.createDirectories(folder, dirMode);
        Path temporary = folder.resolve(file.getFileName() + ".new");
        Files.deleteIfExists(temporary);
        Files.createFile(temporary, fileMode);
        Files.write(temporary, content, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static FileAttribute<?>[] attributes(String mode) {
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))};
    }
}
