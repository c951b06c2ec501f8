package dev.seatrial.app.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The script is run by real shells; only the programs that shut down, tell who we are and tell the time are others. */
@Timeout(120)
class WatchdogTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final Duration PROVISIONING = Duration.ofMinutes(10);

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"sh", "dash", "bash", "busybox sh"})
    void shutsDownAtTheDeadlineAndNotBefore(String shell) throws Exception {
        assumeThat(there(shell)).as(shell + " is here").isTrue();
        // It came up half a minute after it was asked for, six seconds before its deadline.
        long began = System.nanoTime();
        run(shell, Watchdog.script(NOW, NOW.plusSeconds(36), PROVISIONING), 30, 0);

        assertThat(asked()).isFalse();
        await().atMost(Duration.ofSeconds(40)).until(this::asked);
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofMillis(4_900), Duration.ofSeconds(35));
        assertThat(Files.readString(dir.resolve("asked"))).isEqualTo("-h now\n");
    }

    @ParameterizedTest
    @CsvSource({
        // Seconds since it was asked for by the machine's clock: nonsense is not taken off.
        "-7200, 6",
        "86400, 6",
        "600, 606",
        "0, 6"
    })
    void aClockThatCannotBeRightNeverShortensTheLease(long late, long length) throws Exception {
        run("sh", Watchdog.script(NOW, NOW.plusSeconds(length), PROVISIONING), late, 0);

        assertThat(asked()).as("not at once").isFalse();
        await().atMost(Duration.ofSeconds(40)).until(this::asked);
    }

    @Test
    void whatIsOverAlreadyShutsDownAtOnce() throws Exception {
        run("sh", Watchdog.script(NOW, NOW.plusSeconds(100), PROVISIONING), 200, 0);

        await().atMost(Duration.ofSeconds(10)).until(this::asked);
    }

    @Test
    void doesNothingForWhoIsNotRoot() throws Exception {
        run("sh", Watchdog.script(NOW, NOW.plusSeconds(1), PROVISIONING), 0, 1000);

        await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(10)).until(() -> !asked());
    }

    @Test
    void isTheSameForEverySendAndSmallEnoughForAnyVendor() {
        String script = Watchdog.script(NOW, NOW.plusSeconds(3_600), PROVISIONING);

        assertThat(script)
                .isEqualTo(Watchdog.script(NOW, NOW.plusSeconds(3_600), PROVISIONING))
                .startsWith("#!/bin/sh\n")
                .contains("\nasked=1796040000\nlength=3600\nmost=600\n")
                .hasSizeLessThan(2_000)
                .isASCII();
        assertThat(Watchdog.script(NOW, NOW.minusSeconds(5), PROVISIONING)).contains("\nlength=0\n");
    }

    private boolean asked() {
        return Files.exists(dir.resolve("asked"));
    }

    /** Returns when the script itself has: whoever starts a machine does not wait for its end. */
    private void run(String shell, String script, long late, int uid) throws IOException, InterruptedException {
        Path bin = Files.createDirectories(dir.resolve("bin"));
        // Ends whoever asks as a machine that goes down does.
        program(bin, "shutdown", "echo \"$*\" >'" + dir.resolve("asked") + "'; kill -9 \"$PPID\"");
        for (String other : List.of("poweroff", "halt")) {
            program(bin, other, "echo wrong >>'" + dir.resolve("asked") + "'");
        }
        program(bin, "id", "echo " + uid);
        program(bin, "date", "echo " + (NOW.getEpochSecond() + late));
        Path file = Files.writeString(dir.resolve("script"), script);
        List<String> command = new ArrayList<>(List.of(shell.split(" ")));
        command.add(file.toString());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("PATH", bin + ":" + environment.getOrDefault("PATH", "/usr/bin:/bin"));
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).isEmpty();
    }

    private static void program(Path bin, String name, String body) throws IOException {
        Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static boolean there(String shell) throws InterruptedException {
        try {
            List<String> command = new ArrayList<>(List.of(shell.split(" ")));
            command.addAll(List.of("-c", "exit 0"));
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
