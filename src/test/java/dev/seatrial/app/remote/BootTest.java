package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bootstrap under each POSIX shell that is here. */
class BootTest {
    private static final String LEASE = "boottest01";

    @TempDir
    Path home;

    private final Boot boot = new Boot(new Wire());

    /** This machine with another shell and other variables. */
    private static final class Shell implements Machine {
        private final LocalMachine real = new LocalMachine();
        private final String before;
        private final String shell;

        Shell(String shell, String variables) {
            this.shell = shell;
            this.before = variables.isEmpty() ? "" : "env " + variables + " ";
        }

        @Override
        public Exec.Result exec(Exec exec) throws MachineException {
            String command = exec.command().replaceFirst("^sh ", shell + " ");
            return real.exec(new Exec(before + command, exec.stdin(), exec.sink(), exec.cap(), exec.timeout()));
        }

        @Override
        public void upload(InputStream content, String path, Duration timeout) throws MachineException {
            real.upload(content, path, timeout);
        }

        @Override
        public void download(String path, OutputStream sink, long cap, Duration timeout) throws MachineException {
            real.download(path, sink, cap, timeout);
        }

        @Override
        public boolean remote() {
            return false;
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private static void assume(String shell) {
        String program = shell.split(" ")[0];
        Assumptions.assumeTrue(
                Stream.of("/bin/", "/usr/bin/").anyMatch(d -> Files.isExecutable(Path.of(d + program))),
                "no " + program + " on this machine");
    }

    @AfterEach
    void leave() throws MachineException {
        boot.leave(new LocalMachine(), LEASE, Optional.of(home.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "dash", "bash", "busybox sh"})
    void aFolderAndAPythonAreFoundOnceAndLeftAgain(String shell) throws Exception {
        assume(shell);
        Machine machine = new Shell(shell, "");
        Path base = Files.createDirectories(home.resolve("it's \"here\""));
        Optional<String> where = Optional.of(base.toString());
        assertThat(boot.look(machine, LEASE, where)).isEmpty();
        Boot.Place place = boot.boot(machine, LEASE, where, "st-abcd-boottest01-t1");
        assertThat(place.dir()).isEqualTo(base + "/seatrial-" + LEASE);
        assertThat(Path.of(place.python())).isExecutable();
        assertThat(boot.boot(machine, LEASE, where, "x")).isEqualTo(place);
        assertThat(Files.readString(Path.of(place.dir(), ".seatrial"))).isEqualTo("st-abcd-boottest01-t1\n");
        try (Stream<Path> files = Files.list(Path.of(place.dir()))) {
            assertThat(files).hasSize(1);
        }
        Process ours =
                new ProcessBuilder("sleep", "4813").redirectErrorStream(true).start();
        ProcessBuilder marked = new ProcessBuilder("sleep", "4814");
        marked.environment().put("SEATRIAL_RUN", place.dir() + "/runs/a");
        Process theirs = marked.start();
        try {
            assertThat(boot.leave(machine, LEASE, where)).isEmpty();
            assertThat(theirs.waitFor()).isNotZero();
            assertThat(ours.isAlive()).isTrue();
            assertThat(Path.of(place.dir())).doesNotExist();
        } finally {
            ours.destroyForcibly();
            theirs.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "busybox sh"})
    void aPlaceThatCannotBeWrittenToIsPassedOver(String shell) throws Exception {
        assume(shell);
        Path good = Files.createDirectories(home.resolve("good"));
        Machine machine = new Shell(shell, "TMPDIR=" + good);
        Boot.Place place = boot.boot(machine, LEASE, Optional.of("/proc/none"), "");
        assertThat(place.dir()).startsWith(good.toString());
        boot.leave(machine, LEASE, Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "busybox sh"})
    void somebodyElsesFolderOfThatNameIsLeftAlone(String shell) throws Exception {
        assume(shell);
        Path foreign = Files.createDirectories(home.resolve("seatrial-" + LEASE));
        Files.writeString(foreign.resolve("theirs"), "x");
        Machine machine = new Shell(shell, "");
        Optional<String> where = Optional.of(home.toString());
        assertThat(boot.boot(machine, LEASE, where, "").dir()).isNotEqualTo(foreign.toString());
        assertThat(boot.leave(machine, LEASE, where)).isEmpty();
        assertThat(foreign.resolve("theirs")).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"busybox sh"})
    void aMachineWithoutPythonIsUnusableInPlainWords(String shell) throws Exception {
        assume(shell);
        Path tools = Files.createDirectories(home.resolve("bin"));
        for (String tool : List.of("mkdir", "dd", "rm", "tr", "sed", "grep", "id", "sh", "python3")) {
            String program = tool.equals("python3") ? "exit 1" : "exec " + busybox() + " " + tool + " \"$@\"";
            Path file = Files.writeString(tools.resolve(tool), "#!" + busybox() + " sh\n" + program + "\n");
            assertThat(file.toFile().setExecutable(true)).isTrue();
        }
        Machine machine = new Shell(busybox() + " sh", "-i PYTHONHOME=/nowhere PATH=" + tools + " HOME=" + home);
        assertThatThrownBy(() -> boot.boot(machine, LEASE, Optional.of(home.toString()), ""))
                .isInstanceOfSatisfying(
                        MachineException.class, e -> assertThat(e.kind()).isEqualTo(MachineException.Kind.UNUSABLE))
                .hasMessageContaining("no Python 3.8");
    }

    private static String busybox() {
        return Files.exists(Path.of("/bin/busybox")) ? "/bin/busybox" : "/usr/bin/busybox";
    }
}
