package dev.seatrial.app.remote;

import dev.seatrial.app.remote.MachineException.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A file or directory of the user, to be put into a folder on the machine. Links are followed; {@code .git} and
 * {@code __pycache__} stay behind; an archive is unpacked there.
 */
final class TaskFiles {
    /** Folder of the task's own files, within ours. */
    static final String TASK = "task";
    /** Folder of its sample data. */
    static final String DATA = "data";
    /** Most bytes that are sent. */
    static final long CAP = 50L << 30;

    private static final List<String> LEFT_OUT = List.of(".git", "__pycache__");
    private static final List<String> ARCHIVES = List.of(".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip");
    /** Python, since a machine may lack tar; it is our own stream that is unpacked. */
    private static final String UNPACK = "import os,shutil,sys,tarfile\n"
            + "d,a=sys.argv[1:3]\n"
            + "shutil.rmtree(d,ignore_errors=True)\n"
            + "os.makedirs(d,mode=0o700)\n"
            + "tarfile.open(fileobj=sys.stdin.buffer,mode='r|').extractall(d)\n"
            + "if a:\n"
            + " p=os.path.join(d,a)\n"
            + " shutil.unpack_archive(p,d)\n"
            + " os.unlink(p)\n";

    private final List<Item> items;
    private final String archive;
    private final String stamp;
    private final long bytes;

    private record Item(Path path, String name, long size, long modified, boolean folder, boolean executable) {}

    private TaskFiles(List<Item> items, String archive) {
        this.items = items;
        this.archive = archive;
        StringBuilder all = new StringBuilder();
        items.forEach(i -> all.append(i.name)
                .append('\0')
                .append(i.size)
                .append('\0')
                .append(i.modified)
                .append('\n'));
        this.stamp = Payload.sha256(all.toString().getBytes(StandardCharsets.UTF_8));
        this.bytes = items.stream().mapToLong(Item::size).sum();
    }

    /** @throws MachineException (LOCAL) when it is not there, cannot be read or is too much */
    static TaskFiles of(Path source) throws MachineException {
        List<Item> items = new ArrayList<>();
        try {
            if (Files.isDirectory(source)) {
                try (Stream<Path> walk = Files.walk(source, FileVisitOption.FOLLOW_LINKS)) {
                    for (Path p : (Iterable<Path>) walk.sorted()::iterator) {
                        String name = source.relativize(p).toString().replace('\\', '/');
                        if (!name.isEmpty() && leftOut(name)) {
                            continue;
                        }
                        if (!name.isEmpty()) {
                            add(items, p, name);
                        }
                    }
                }
            } else {
                add(items, source, String.valueOf(source.getFileName()));
            }
        } catch (IOException | java.io.UncheckedIOException e) {
            throw new MachineException(Kind.LOCAL, "cannot read " + source + ": " + e.getMessage(), e);
        }
        boolean packed = !Files.isDirectory(source)
                && ARCHIVES.stream().anyMatch(String.valueOf(source.getFileName())::endsWith);
        TaskFiles files = new TaskFiles(items, packed ? items.get(0).name : "");
        if (files.bytes > CAP) {
            throw new MachineException(
                    Kind.LOCAL,
                    source + " holds " + (files.bytes >> 30) + " GiB; at most " + (CAP >> 30) + " are sent");
        }
        return files;
    }

    private static boolean leftOut(String name) {
        return Stream.of(name.split("/")).anyMatch(LEFT_OUT::contains);
    }

    private static void add(List<Item> items, Path path, String name) throws IOException {
        BasicFileAttributes a = Files.readAttributes(path, BasicFileAttributes.class);
        if (a.isRegularFile() || a.isDirectory()) {
            items.add(new Item(
                    path,
                    name,
                    a.isDirectory() ? 0 : a.size(),
                    a.lastModifiedTime().toMillis(),
                    a.isDirectory(),
                    a.isRegularFile() && Files.isExecutable(path)));
        }
    }

    long bytes() {
        return bytes;
    }

    /** Whether exactly these files are in the folder already. */
    boolean arrived(Host host, String folder) throws MachineException {
        ByteArrayOutputStream there = new ByteArrayOutputStream();
        try {
            host.machine().download(host.path(folder + ".sent"), there, 200, Duration.ofSeconds(15));
        } catch (MachineException e) {
            if (e.kind().passing()) {
                throw e;
            }
            return false;
        }
        return there.toString(StandardCharsets.UTF_8).strip().equals(stamp);
    }

    /**
     * Sends everything.
     *
     * @param sent rises as bytes leave
     * @param executor runs the packing while this thread sends
     */
    void send(Host host, String folder, Duration limit, AtomicLong sent, Executor executor) throws MachineException {
        try (PipedInputStream in = new PipedInputStream(1 << 20);
                OutputStream out = new PipedOutputStream(in)) {
            MachineException[] local = new MachineException[1];
            executor.execute(() -> {
                try {
                    pack(out, sent);
                } catch (IOException e) {
                    local[0] = new MachineException(Kind.LOCAL, "cannot send the task's files: " + e.getMessage(), e);
                }
            });
            Exec.Result result = host.python(UNPACK, List.of(host.path(folder), archive), in, limit);
            if (local[0] != null && !result.ok()) {
                throw local[0];
            }
            if (!result.ok()) {
                throw new MachineException(
                        Kind.PROTOCOL, "the machine could not take the task's files: " + lastLine(result.err()));
            }
        } catch (MachineException e) {
            throw e;
        } catch (IOException e) {
            throw new MachineException(Kind.LOCAL, "cannot send the task's files: " + e.getMessage(), e);
        }
        host.machine()
                .upload(
                        new ByteArrayInputStream(stamp.getBytes(StandardCharsets.UTF_8)),
                        host.path(folder + ".sent"),
                        Duration.ofSeconds(15));
    }

    private static String lastLine(String text) {
        return text.lines().reduce("no reason given", (a, b) -> b.isBlank() ? a : b);
    }

    private void pack(OutputStream out, AtomicLong sent) throws IOException {
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8")) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            for (Item item : items) {
                TarArchiveEntry entry = new TarArchiveEntry(item.folder ? item.name + "/" : item.name);
                entry.setModTime(item.modified);
                entry.setMode(item.folder || item.executable ? 0755 : 0644);
                entry.setSize(item.size);
                tar.putArchiveEntry(entry);
                if (!item.folder) {
                    try (InputStream content = Files.newInputStream(item.path)) {
                        byte[] block = new byte[64 << 10];
                        for (int n = content.read(block); n >= 0; n = content.read(block)) {
                            tar.write(block, 0, n);
                            sent.addAndGet(n);
                        }
                    }
                }
                tar.closeArchiveEntry();
            }
        }
    }
}
