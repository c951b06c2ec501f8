package dev.seatrial.app.remote;

import dev.seatrial.app.remote.MachineException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** This machine, by {@code /bin/sh}. Commands see no variable of ours that could hold a secret. */
public final class LocalMachine implements Machine {
    private static final int ERR_CAP = 16 << 10;
    /** What a benchmark may depend on; the service's own environment holds API keys. */
    private static final List<String> KEPT = List.of(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "TMPDIR",
            "LANG",
            "LC_ALL",
            "TZ",
            "LD_LIBRARY_PATH",
            "CUDA_HOME",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES",
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "PYENV_ROOT",
            "PYENV_VERSION",
            "no_proxy");
    /** Kept unless they hold a password. */
    private static final List<String> PROXIES = List.of("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY");

    @Override
    public Exec.Result exec(Exec exec) throws MachineException {
        Process process = start(exec.command());
        ByteArrayOutputStream own = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        CappedOutput out = new CappedOutput(exec.sink().orElse(own), exec.cap(), process::destroyForcibly);
        CappedOutput err = new CappedOutput(errors, ERR_CAP, () -> {});
        CompletableFuture<Optional<IOException>> feeding =
                pump(exec.stdin().orElse(InputStream.nullInputStream()), process.getOutputStream());
        CompletableFuture<Optional<IOException>> reading = pump(process.getInputStream(), out);
        CompletableFuture<Optional<IOException>> complaining = pump(process.getErrorStream(), err);
        try {
            if (!process.waitFor(exec.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new MachineException(
                        Kind.TIMEOUT, "no end within " + exec.timeout().toSeconds() + " s");
            }
            Optional<IOException> broken = reading.get(5, TimeUnit.SECONDS);
            complaining.get(5, TimeUnit.SECONDS);
            if (broken.isPresent() && !out.cut()) {
                throw new MachineException(Kind.LOCAL, "cannot take the output: " + broken.get(), broken.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MachineException(Kind.UNREACHABLE, "interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new MachineException(Kind.TIMEOUT, "the command ended, its output did not", e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            feeding.cancel(true);
        }
        int status = out.cut() ? -1 : process.exitValue();
        return new Exec.Result(status, own.toByteArray(), errors.toString(StandardCharsets.UTF_8), out.cut());
    }

    @Override
    public void upload(InputStream content, String path, Duration timeout) throws MachineException {
        Path file = path(path);
        try {
            Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(
                        file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
            }
        } catch (IOException e) {
            throw new MachineException(Kind.LOCAL, "cannot write " + path + ": " + e, e);
        }
    }

    @Override
    public void download(String path, OutputStream sink, long cap, Duration timeout) throws MachineException {
        try (InputStream in = Files.newInputStream(path(path))) {
            in.transferTo(new CappedOutput(sink, cap, () -> {}));
        } catch (Stop e) {
            return;
        } catch (IOException e) {
            throw new MachineException(Kind.LOCAL, "cannot read " + path + ": " + e, e);
        }
    }

    @Override
    public boolean remote() {
        return false;
    }

    @Override
    public void close() {
        // Nothing is held between calls.
    }

    private static Process start(String command) throws MachineException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", command);
        builder.environment()
                .entrySet()
                .removeIf(v -> !KEPT.contains(v.getKey())
                        && !(PROXIES.contains(v.getKey()) && !v.getValue().contains("@")));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new MachineException(Kind.LOCAL, "cannot run /bin/sh: " + e.getMessage(), e);
        }
    }

    private static Path path(String path) throws MachineException {
        try {
            return Path.of(path);
        } catch (InvalidPathException e) {
            throw new MachineException(Kind.PROTOCOL, "not a path: " + path, e);
        }
    }

    private static CompletableFuture<Optional<IOException>> pump(InputStream from, OutputStream to) {
        CompletableFuture<Optional<IOException>> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try (OutputStream closing = to) {
                        from.transferTo(closing);
                        done.complete(Optional.empty());
                    } catch (IOException e) {
                        // A command that ends without reading its input is no fault.
                        done.complete(Optional.of(e));
                    }
                },
                "seatrial-local-pump");
        thread.setDaemon(true);
        thread.start();
        return done;
    }
}
