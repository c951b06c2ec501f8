package dev.seatrial.app.remote;

import dev.seatrial.app.remote.MachineException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshException;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClient.OpenMode;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.apache.sshd.sftp.common.SftpException;
import org.jspecify.annotations.Nullable;

/** A machine behind SSH: one kept session, made when first needed and again after a drop. */
public final class SshMachine implements Machine {
    private static final Duration CHANNEL_OPEN = Duration.ofSeconds(15);
    private static final int ERR_CAP = 16 << 10;
    private static final int TRANSFER_BUFFER = 128 << 10;

    private final SshConnector connector;
    private final Object connecting = new Object();
    private final AtomicReference<@Nullable SshConnection> connection = new AtomicReference<>();
    private volatile boolean withoutSftp;
    private volatile boolean closed;

    SshMachine(SshConnector connector) {
        this.connector = connector;
    }

    /** The host key of the connection that stands, or empty when none stands. */
    public Optional<SshConnector.HostKey> hostKey() {
        return Optional.ofNullable(connection.get()).map(SshConnection::hostKey);
    }

    @Override
    public Exec.Result exec(Exec exec) throws MachineException {
        ByteArrayOutputStream own = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        ClientSession session = session();
        try (ChannelExec channel = session.createExecChannel(exec.command())) {
            AtomicBoolean full = new AtomicBoolean();
            CappedOutput out = new CappedOutput(exec.sink().orElse(own), exec.cap(), () -> {
                full.set(true);
                channel.close(true);
            });
            CappedOutput err = new CappedOutput(errors, ERR_CAP, () -> {});
            channel.setIn(exec.stdin().orElse(InputStream.nullInputStream()));
            channel.setOut(out);
            channel.setErr(err);
            channel.open().verify(CHANNEL_OPEN);
            var seen = channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), exec.timeout());
            if (!seen.contains(ClientChannelEvent.CLOSED)) {
                channel.close(true);
                throw new MachineException(
                        Kind.TIMEOUT, "no end within " + exec.timeout().toSeconds() + " s");
            }
            Integer status = channel.getExitStatus();
            if (status == null && channel.getExitSignal() == null && !full.get()) {
                throw new MachineException(Kind.UNREACHABLE, "the connection broke while a command ran");
            }
            return new Exec.Result(
                    status == null || full.get() ? -1 : status,
                    own.toByteArray(),
                    errors.toString(StandardCharsets.UTF_8),
                    full.get());
        } catch (IOException e) {
            throw broken(session, e);
        }
    }

    @Override
    public void upload(InputStream content, String path, Duration timeout) throws MachineException {
        if (!withoutSftp && sftpUpload(content, path, timeout)) {
            return;
        }
        Exec.Result result = exec(Exec.of("sh -c " + Text.quote("umask 077; cat > " + Text.quote(path)), timeout)
                .reading(content));
        if (!result.ok()) {
            throw new MachineException(Kind.PROTOCOL, "cannot write " + path + ": " + result.err());
        }
    }

    /** False when the machine has no SFTP; nothing of the content is read then. */
    private boolean sftpUpload(InputStream content, String path, Duration timeout) throws MachineException {
        ClientSession session = session();
        Optional<SftpClient> opened = sftp(session);
        if (opened.isEmpty()) {
            return false;
        }
        try (SftpClient sftp = opened.get();
                Deadline deadline = Deadline.after(session, timeout, () -> closeNow(sftp))) {
            try (OutputStream out =
                    sftp.write(path, TRANSFER_BUFFER, EnumSet.of(OpenMode.Create, OpenMode.Write, OpenMode.Truncate))) {
                content.transferTo(out);
            } catch (IOException e) {
                throw deadline.passed() ? late(timeout, e) : e;
            }
            SftpClient.Attributes owner = new SftpClient.Attributes();
            owner.setPermissions(0600);
            sftp.setStat(path, owner);
            return true;
        } catch (SftpException e) {
            throw new MachineException(Kind.PROTOCOL, "cannot write " + path + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw broken(session, e);
        }
    }

    @Override
    public void download(String path, OutputStream sink, long cap, Duration timeout) throws MachineException {
        ClientSession session = session();
        Optional<SftpClient> opened = withoutSftp ? Optional.empty() : sftp(session);
        if (opened.isEmpty()) {
            Exec.Result result =
                    exec(Exec.of("cat " + Text.quote(path), timeout).into(sink, cap));
            if (result.status() > 0) {
                throw new MachineException(Kind.PROTOCOL, "cannot read " + path + ": " + result.err());
            }
            return;
        }
        try (SftpClient sftp = opened.get();
                Deadline deadline = Deadline.after(session, timeout, () -> closeNow(sftp))) {
            try (InputStream in = sftp.read(path, TRANSFER_BUFFER)) {
                copy(in, sink, cap);
            } catch (Stop e) {
                return;
            } catch (IOException e) {
                throw deadline.passed() ? late(timeout, e) : e;
            }
        } catch (SftpException e) {
            throw new MachineException(Kind.PROTOCOL, "cannot read " + path + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw broken(session, e);
        }
    }

    private static void copy(InputStream in, OutputStream sink, long cap) throws IOException {
        byte[] block = new byte[TRANSFER_BUFFER];
        long left = cap;
        while (left > 0) {
            int n = in.read(block, 0, (int) Math.min(block.length, left));
            if (n < 0) {
                return;
            }
            sink.write(block, 0, n);
            left -= n;
        }
    }

    private Optional<SftpClient> sftp(ClientSession session) throws MachineException {
        try {
            return Optional.of(SftpClientFactory.instance().createSftpClient(session));
        } catch (IOException e) {
            if (!session.isOpen()) {
                throw broken(session, e);
            }
            withoutSftp = true;
            return Optional.empty();
        }
    }

    @Override
    public boolean remote() {
        return true;
    }

    private ClientSession session() throws MachineException {
        SshConnection current = connection.get();
        if (current != null && current.alive()) {
            return current.session();
        }
        synchronized (connecting) {
            current = connection.get();
            if (current != null && current.alive()) {
                return current.session();
            }
            drop();
            if (!closed) {
                SshConnection fresh = connector.connect();
                connection.set(fresh);
                if (!closed) {
                    return fresh.session();
                }
                drop();
            }
            throw new MachineException(Kind.UNREACHABLE, "no longer in use");
        }
    }

    /** A channel that failed on a session that stands is the machine's answer; else the connection is gone. */
    private MachineException broken(ClientSession session, IOException e) {
        if (e instanceof MachineException known) {
            return known;
        }
        if (session.isOpen() && e instanceof SshException) {
            // Too many channels, or a server that is going down: a new connection is the safe way out.
            session.close(true);
        }
        String why = e.getMessage();
        return new MachineException(
                Kind.UNREACHABLE,
                "the connection broke: " + (why == null ? e.getClass().getSimpleName() : why),
                e);
    }

    private static MachineException late(Duration timeout, IOException cause) {
        return new MachineException(Kind.TIMEOUT, "no end within " + timeout.toSeconds() + " s", cause);
    }

    private static void closeNow(SftpClient sftp) {
        sftp.getClientChannel().close(true);
    }

    private void drop() {
        SshConnection old = connection.getAndSet(null);
        if (old != null) {
            old.close();
        }
    }

    /** Never waits for a connection that is being made: whoever makes it drops it. */
    @Override
    public void close() {
        closed = true;
        drop();
    }
}
