package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a copy of the tree's shape, with a Maven and a Java that only note what they are asked. */
class LauncherTest {
    private static final List<String> TOOLS = List.of(
            "sh",
            "dirname",
            "readlink",
            "find",
            "head",
            "tail",
            "grep",
            "cut",
            "cat",
            "sed",
            "mkdir",
            "rm",
            "mv",
            "touch",
            "sleep");

    @TempDir
    Path directory;

    private Path root;
    private Path bin;

    @BeforeEach
    void tree() throws IOException {
        root = Files.createDirectories(directory.resolve("a path with spaces"));
        bin = Files.createDirectories(directory.resolve("bin"));
        Files.copy(Path.of("..", "seatrial"), root.resolve("seatrial"));
        executable(root.resolve("seatrial"));
        for (String file :
                List.of("pom.xml", "src/pom.xml", "workflows/pom.xml", "providers/pom.xml", "src/main/A.java")) {
            Path source = root.resolve(file);
            Files.createDirectories(source.getParent());
            Files.createFile(source);
            Files.setLastModifiedTime(source, FileTime.from(Instant.now().minusSeconds(60)));
        }
        Files.createDirectories(root.resolve("workflows/src/main"));
        for (String tool : TOOLS) {
            script(tool, "exec " + tool(tool) + " \"$@\"\n");
        }
        script("mvn", """
                echo built >>"$PWD/builds"
                sleep 1
                mkdir -p src/target/quarkus-app/app
                touch src/target/quarkus-app/quarkus-app-dependencies.txt src/target/quarkus-app/app/app.jar
                """);
        script("java", """
                case "$*" in
                *-version*) echo 'openjdk version "17.0.1"' >&2 ;;
                *ArchiveClassesAtExit*) for a in "$@"; do case $a in -XX:Archive*) : >"${a#*=}" ;; esac done ;;
                *) for a in "$@"; do echo "[$a]"; done ;;
                esac
                """);
    }

    @Test
    void buildsOnceAndThenOnlyRuns() throws Exception {
        Run first = launch("evaluate", "my plan.yaml");
        assertThat(first.exit()).isZero();
        assertThat(first.err()).contains("building");
        assertThat(first.out())
                .contains("[-XX:SharedArchiveFile=" + root.resolve("src/target/seatrial.jsa") + "]")
                .contains(root.resolve("src/target/quarkus-app/app/app.jar").toString())
                .endsWith("[dev.seatrial.app.Main]\n[evaluate]\n[my plan.yaml]\n");

        Run second = launch("--help");
        assertThat(second.exit()).isZero();
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(1);

        Files.setLastModifiedTime(
                root.resolve("src/main/A.java"), FileTime.from(Instant.now().plusSeconds(5)));
        launch("--help");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void twoAtOnceBuildOnce() throws Exception {
        Process one = start("--help");
        Process two = start("--help");

        Run first = ended(one);
        Run second = ended(two);

        assertThat(first.exit()).as(first.err()).isZero();
        assertThat(second.exit()).as(second.err()).isZero();
        assertThat(first.out()).isEqualTo(second.out()).contains("[--help]");
        assertThat(builds()).isEqualTo(1);
        assertThat(root.resolve(".seatrial-build")).doesNotExist();
    }

    @Test
    void aBuildThatDiedIsTakenOver() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        assertThat(dead.waitFor()).isZero();
        Files.createDirectories(root.resolve(".seatrial-build"));
        Files.writeString(root.resolve(".seatrial-build/pid"), String.valueOf(dead.pid()));

        assertThat(launch("--help").exit()).isZero();

        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void saysWhatIsMissing() throws Exception {
        script("mvn", "echo '[ERROR] cannot find symbol'; exit 1\n");
        Run broken = launch("--help");
        assertThat(broken.exit()).isEqualTo(70);
        assertThat(broken.err()).contains("cannot find symbol").contains("build.log");
        assertThat(root.resolve(".seatrial-build")).doesNotExist();

        Files.delete(bin.resolve("mvn"));
        Run noMaven = launch("--help");
        assertThat(noMaven.exit()).isEqualTo(70);
        assertThat(noMaven.err()).contains("Maven 3.8");

        script("java", "echo 'openjdk version \"11.0.2\"' >&2\n");
        script("mvn", "exit 1\n");
        Run old = launch("--help");
        assertThat(old.exit()).isEqualTo(70);
        assertThat(old.err()).contains("Java 11 is too old");

        Files.delete(bin.resolve("java"));
        Run noJava = launch("--help");
        assertThat(noJava.exit()).isEqualTo(70);
        assertThat(noJava.err()).contains("JDK 17");
    }

    private record Run(int exit, String out, String err) {}

    private Run launch(String... args) throws IOException, InterruptedException {
        return ended(start(args));
    }

    private Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(root.resolve("seatrial").toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        return builder.start();
    }

    private static Run ended(Process process) throws IOException, InterruptedException {
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), out, err);
    }

    private long builds() throws IOException {
        return Files.readAllLines(root.resolve("builds")).size();
    }

    private void script(String name, String body) throws IOException {
        Files.writeString(bin.resolve(name), "#!/bin/sh\n" + body);
        executable(bin.resolve(name));
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path tool(String name) {
        for (String folder : System.getenv("PATH").split(":")) {
            Path found = Path.of(folder, name);
            if (Files.isExecutable(found)) {
                return found;
            }
        }
        throw new IllegalStateException("no " + name);
    }
}
