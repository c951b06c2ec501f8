package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One run of the packaged application, started as the launcher does. Closing it ends it, and nothing else. */
final class AppProcess implements AutoCloseable {
    /** Long enough for a busy machine; a healthy one is far below. */
    static final Duration LIMIT = Duration.ofSeconds(120);

    private static final Path APP = Path.of("target", "quarkus-app").toAbsolutePath();
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Process process;
    private final Path out;
    private final Path err;

    private AppProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Starts it.
     *
     * @param directory where its output is kept; also its home directory and working directory
     * @param environment added to a bare environment
     */
    static AppProcess start(Path directory, Map<String, String> environment, List<String> args) {
        try {
            Files.createDirectories(directory);
            Path out = Files.createTempFile(directory, "run", ".out");
            Path err = Files.createTempFile(directory, "run", ".err");
            List<String> command = new ArrayList<>(signals());
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xshare:auto",
                    "-Xlog:disable",
                    "-Xlog:all=error:stderr",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx400m",
                    "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                    "-Dfile.encoding=UTF-8",
                    "-Duser.home=" + directory,
                    "-cp",
                    classPath(),
                    "dev.seatrial.app.Main"));
            Archive.file().ifPresent(archive -> command.add(command.indexOf("-Xlog:disable"), archive));
            command.addAll(args);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            Map<String, String> env = builder.environment();
            env.keySet().removeIf(name -> !name.equals("PATH") && !name.equals("TMPDIR"));
            env.putAll(environment);
            return new AppProcess(builder.start(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A run in the background of a script would inherit an ignored Ctrl-C. */
    private static List<String> signals() {
        return System.getProperty("os.name").equals("Linux") ? List.of("env", "--default-signal=INT,TERM") : List.of();
    }

    /** The launcher's class path. */
    static String classPath() {
        List<String> jars = new ArrayList<>(List.of(
                APP.resolve("quarkus/transformed-bytecode.jar").toString(),
                APP.resolve("quarkus/generated-bytecode.jar").toString()));
        for (String folder : List.of("app", "lib/boot", "lib/main")) {
            try (Stream<Path> files = Files.list(APP.resolve(folder))) {
                files.map(Path::toString)
                        .filter(f -> f.endsWith(".jar"))
                        .sorted()
                        .forEach(jars::add);
            } catch (IOException e) {
                throw new UncheckedIOException("the application is not packaged: run 'mvn package' first", e);
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    String stdout() {
        return read(out);
    }

    String stderr() {
        return read(err);
    }

    /** Waits until standard error holds this. */
    AppProcess awaitStderr(String words) {
        await("standard error to hold '" + words + "'")
                .atMost(LIMIT)
                .pollInterval(LOOK)
                .until(() -> stderr().contains(words) || !process.isAlive());
        assertThat(stderr()).contains(words);
        return this;
    }

    /** Waits until standard output holds this. */
    AppProcess awaitStdout(String words) {
        await("standard output to hold '" + words + "'")
                .atMost(LIMIT)
                .pollInterval(LOOK)
                .until(() -> stdout().contains(words) || !process.isAlive());
        assertThat(stdout()).as("stderr: %s", stderr()).contains(words);
        return this;
    }

    /** Ctrl-C. */
    void interrupt() {
        signal("INT");
    }

    void terminate() {
        signal("TERM");
    }

    /** {@code kill -9}; returns when it is dead. */
    void kill() {
        process.destroyForcibly();
        exit();
    }

    /** Sends any signal. */
    void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits for its end. @return the exit code */
    int exit() {
        try {
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("ended within %s; stderr:%n%s", LIMIT, stderr())
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits for its end with this code. */
    AppProcess exits(int code) {
        int got = exit();
        assertThat(got)
                .as("exit code; stdout:%n%s%nstderr:%n%s", stdout(), stderr())
                .isEqualTo(code);
        return this;
    }

    /** All of standard output, which must be exactly one JSON document. */
    JsonNode document() {
        String text = stdout();
        try (MappingIterator<JsonNode> documents =
                new ObjectMapper().readerFor(JsonNode.class).readValues(new JsonFactory().createParser(text))) {
            List<JsonNode> all = documents.readAll();
            assertThat(all)
                    .as("documents on standard output:%n%s%nstderr:%n%s", text, stderr())
                    .hasSize(1);
            return all.get(0);
        } catch (JsonProcessingException e) {
            throw new AssertionError("standard output is not JSON: " + text + "\nstderr: " + stderr(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
