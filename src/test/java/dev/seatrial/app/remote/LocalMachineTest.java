package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LocalMachineTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private final LocalMachine machine = new LocalMachine();

    @Test
    void commandsGiveStatusOutputAndErrors() throws Exception {
        Exec.Result result =
                machine.exec(Exec.of("cat; echo bad >&2; exit 3", LIMIT).reading("in"));
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.text()).isEqualTo("in");
        assertThat(result.err()).isEqualTo("bad\n");
    }

    @Test
    void onlyHarmlessVariablesAreSeen() throws Exception {
        String seen = machine.exec(Exec.of("env", LIMIT)).text();
        assertThat(seen.lines().map(l -> l.replaceAll("=.*", "")))
                .contains("PATH")
                .allMatch(n -> n.matches("[A-Za-z_]+") && !n.matches(".*(KEY|TOKEN|SECRET|MAVEN).*"));
    }

    @Test
    void endlessOutputIsCutOff() throws Exception {
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        assertThat(machine.exec(Exec.of("yes", LIMIT).into(sink, 1000)).cut()).isTrue();
        assertThat(sink.size()).isEqualTo(1000);
    }

    @Test
    void commandsEndAtTheirLimitWithWhatTheyStarted() {
        assertThatThrownBy(() -> machine.exec(Exec.of("sleep 4711 & sleep 4711", Duration.ofMillis(300))))
                .isInstanceOfSatisfying(
                        MachineException.class, e -> assertThat(e.kind()).isEqualTo(MachineException.Kind.TIMEOUT));
        org.awaitility.Awaitility.await().untilAsserted(() -> assertThat(ProcessHandle.allProcesses()
                        .filter(p -> p.info().commandLine().orElse("").contains("sleep 4711")))
                .isEmpty());
    }
}
