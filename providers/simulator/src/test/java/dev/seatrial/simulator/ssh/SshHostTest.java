package dev.seatrial.simulator.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.simulator.Client;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.simulator.TestClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SshHostTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String PAYLOAD = "'/usr/bin/python3' '/tmp/seatrial-run1/payload.pyz' ";

    private final TestClock clock = new TestClock();
    private final ObjectMapper json = new ObjectMapper();
    private final SshClient ssh = SshClient.setUpDefaultClient();

    @TempDir
    private Path temporary;

    private Simulator simulator;
    private Client client;
    private KeyPair key;

    @BeforeEach
    void open() throws GeneralSecurityException {
        simulator =
                Simulator.start(SimulatorOptions.of("steady").withClock(clock).withTemporary(temporary));
        client = new Client(simulator);
        key = KeyUtils.generateKeyPair("ecdsa-sha2-nistp256", 256);
        ssh.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
        ssh.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
        ssh.start();
    }

    @AfterEach
    void close() throws IOException {
        ssh.stop();
        simulator.close();
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).as("a simulator leaves nothing behind").isEmpty();
        }
    }

    private record Said(int status, String out, String err) {}

    private String machine(String name, String offer) {
        String id = client.create(name, offer, PublicKeyEntry.toString(key.getPublic()))
                .path("id")
                .asText();
        clock.advance(Duration.ofSeconds(3));
        return id;
    }

    private ClientSession login(String id, String user, KeyPair with) throws IOException {
        int port = client.get("/v1/instances/" + id).path("ssh").path("port").asInt();
        ClientSession session =
                ssh.connect(user, "127.0.0.1", port).verify(LIMIT).getSession();
        session.addPublicKeyIdentity(with);
        session.auth().verify(LIMIT);
        return session;
    }

    private Said exec(ClientSession session, String command, String in) throws IOException {
        try (ChannelExec channel = session.createExecChannel(command);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                ByteArrayOutputStream err = new ByteArrayOutputStream()) {
            channel.setIn(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)));
            channel.setOut(out);
            channel.setErr(err);
            channel.open().verify(LIMIT);
            channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), LIMIT);
            Integer status = channel.getExitStatus();
            return new Said(
                    status == null ? -1 : status,
                    out.toString(StandardCharsets.UTF_8),
                    err.toString(StandardCharsets.UTF_8));
        }
    }

    private Said exec(ClientSession session, String command) throws IOException {
        return exec(session, command, "");
    }

    private List<JsonNode> lines(Said said) throws IOException {
        assertThat(said.status()).as(said.toString()).isZero();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : said.out().lines().toList()) {
            assertThat(line).startsWith("{\"seatrial\":1,");
            lines.add(json.readTree(line));
        }
        return lines;
    }

    private void prepare(ClientSession session, String spec) throws IOException {
        assertThat(lines(exec(session, "sh -s -- seatrial-boot run1", "looks for python\n"))
                        .get(0)
                        .path("dir")
                        .asText())
                .isEqualTo("/tmp/seatrial-run1");
        try (SftpClient sftp = SftpClientFactory.instance().createSftpClient(session)) {
            upload(sftp, "/tmp/seatrial-run1/payload.pyz", "not really a zip");
            upload(sftp, "/tmp/seatrial-run1/s1.spec.json", spec);
        }
    }

    private static void upload(SftpClient sftp, String path, String content) throws IOException {
        try (var out = sftp.write(path, SftpClient.OpenMode.Create, SftpClient.OpenMode.Write)) {
            out.write(content.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void theRegisteredKeyLogsInAndNoOther() throws IOException, GeneralSecurityException {
        String id = machine("st-abcd-login-t1", "a100-x1");
        try (ClientSession session = login(id, "root", key)) {
            assertThat(exec(session, "echo seatrial-ok").out()).isEqualTo("seatrial-ok\n");
        }
        KeyPair other = KeyUtils.generateKeyPair("ecdsa-sha2-nistp256", 256);
        assertThatThrownBy(() -> login(id, "root", other)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> login(id, "admin", key)).isInstanceOf(IOException.class);
    }

    @Test
    void machinesHaveDifferentPortsAndHostKeys() throws IOException {
        String one = machine("st-abcd-one-t1", "a100-x1");
        String two = machine("st-abcd-two-t1", "a100-x1");
        try (ClientSession a = login(one, "root", key);
                ClientSession b = login(two, "root", key)) {
            assertThat(KeyUtils.getFingerPrint(a.getServerKey()))
                    .isNotEqualTo(KeyUtils.getFingerPrint(b.getServerKey()));
        }
    }

    @Test
    void aMachineThatIsGoneAnswersNobody() throws IOException {
        String id = machine("st-abcd-gone-t1", "a100-x1");
        int port = client.get("/v1/instances/" + id).path("ssh").path("port").asInt();
        try (ClientSession session = login(id, "root", key)) {
            client.delete("/v1/instances/" + id);
            clock.advance(Duration.ofSeconds(1));
            assertThat(exec(session, "echo still there").out()).isEmpty();
        }
        assertThat(client.get("/v1/instances").path("instances")).isEmpty();
        assertThatThrownBy(() -> ssh.connect("root", "127.0.0.1", port).verify(LIMIT))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aStageRunsByTheClockAndCanBeAttachedTo() throws IOException {
        String id = machine("st-abcd-stage-t1", "a100-x1");
        try (ClientSession session = login(id, "root", key)) {
            prepare(session, "{\"gpus\": [0], \"expectGpus\": 1, \"limitSeconds\": 60}");
            JsonNode version = lines(exec(session, PAYLOAD + "version")).get(0);
            assertThat(version.path("sha256").asText())
                    .isEqualTo(StageScript.sha256("not really a zip".getBytes(StandardCharsets.UTF_8)));

            String run = PAYLOAD + "run compute --id s1 --spec '/tmp/seatrial-run1/s1.spec.json'";
            assertThat(lines(exec(session, run)).get(0).path("state").asText()).isEqualTo("started");
            assertThat(lines(exec(session, run)).get(0).path("state").asText()).isEqualTo("attached");

            clock.advance(Duration.ofSeconds(2));
            List<JsonNode> half = lines(exec(session, PAYLOAD + "poll s1 --from 0"));
            JsonNode state = half.get(half.size() - 1);
            assertThat(state.path("state").asText()).isEqualTo("running");
            assertThat(state.path("alive").asBoolean()).isTrue();

            clock.advance(Duration.ofSeconds(2));
            List<JsonNode> rest = lines(exec(
                    session, PAYLOAD + "poll s1 --from " + state.path("offset").asLong()));
            assertThat(rest.get(rest.size() - 1).path("state").asText()).isEqualTo("ended");
            assertThat(rest.get(rest.size() - 2).path("type").asText()).isEqualTo("end");
            assertThat(rest.get(rest.size() - 2).path("status").asText()).isEqualTo("ok");

            List<JsonNode> all = new ArrayList<>(half.subList(0, half.size() - 1));
            all.addAll(rest.subList(0, rest.size() - 1));
            assertThat(all).extracting(e -> e.path("seq").asInt()).containsExactlyElementsOf(sequence(all.size()));
            JsonNode bf16 = all.stream()
                    .filter(e -> e.path("name").asText().equals("matmul_bf16_sustained"))
                    .findFirst()
                    .orElseThrow();
            assertThat(bf16.path("value").asDouble()).isCloseTo(267, within(8.0));
            assertThat(bf16.path("gpu").asText()).startsWith("GPU-");
            assertThat(bf16.path("samples")).hasSize(5);
            assertThat(bf16.path("attrs").path("simulated").asBoolean()).isTrue();
            assertThat(lines(exec(session, run)).get(0).path("state").asText()).isEqualTo("ended");
        }
    }

    private static List<Integer> sequence(int count) {
        return Stream.iterate(1, n -> n + 1).limit(count).toList();
    }

    private List<JsonNode> stage(String offer, String stage, String spec) throws IOException {
        String id = machine("st-abcd-" + stage + "-t1", offer);
        try (ClientSession session = login(id, "root", key)) {
            prepare(session, spec);
            lines(exec(session, PAYLOAD + "run " + stage + " --id s1 --spec '/tmp/seatrial-run1/s1.spec.json'"));
            clock.advance(Duration.ofSeconds(10));
            return lines(exec(session, PAYLOAD + "poll s1 --from 0"));
        }
    }

    private static List<String> cards(List<JsonNode> events, String measurement) {
        return events.stream()
                .filter(e -> e.path("name").asText().equals(measurement))
                .map(e -> e.path("gpu").asText())
                .toList();
    }

    @Test
    void everyGpuOfAWholeMachineHasItsOwnIdentityAndFigures() throws IOException {
        List<JsonNode> events = stage("a100-x8", "compute", "{\"gpus\": \"all\", \"expectGpus\": 8}");
        assertThat(cards(events, "matmul_bf16_sustained")).hasSize(8).doesNotHaveDuplicates();
        assertThat(cards(events, "matmul_bf16_sustained_together")).hasSize(8);
    }

    @Test
    void aWholeMachineCanBePinnedToOneGpu() throws IOException {
        List<JsonNode> events = stage("a100-x8", "environment", "{\"gpus\": [0], \"expectGpus\": 1}");
        JsonNode gpus = events.stream()
                .filter(e -> e.path("name").asText().equals("gpus"))
                .findFirst()
                .orElseThrow()
                .path("value");
        assertThat(gpus).hasSize(1);
        assertThat(gpus.get(0).path("pciDeviceId").asText()).isEqualTo("20b2");
        assertThat(gpus.get(0).path("nvlinks").asInt()).isEqualTo(12);
        assertThat(events).noneMatch(e -> e.path("type").asText().equals("finding"));
    }

    @Test
    void missingGpusAreFound() throws IOException {
        List<JsonNode> events = stage("a100-x2", "environment", "{\"gpus\": \"all\", \"expectGpus\": 8}");
        assertThat(events).anyMatch(e -> e.path("code").asText().equals("GPU_COUNT_MISMATCH"));
    }

    @Test
    void aUsersMetricsKeepTheirNames() throws IOException {
        List<JsonNode> events =
                stage("a100-x1", "task", "{\"task\": {\"metrics\": {\"tokens_per_s\": {\"unit\": \"tok/s\"}}}}");
        assertThat(events).anyMatch(e -> e.path("name").asText().equals("tokens_per_s"));
        assertThat(events).anyMatch(e -> e.path("name").asText().equals("task_seconds"));
    }

    @Test
    void aStageStopsAtItsLimitAndOnRequest() throws IOException {
        List<JsonNode> events = stage("a100-x1", "compute", "{\"limitSeconds\": 2}");
        JsonNode end = events.get(events.size() - 2);
        assertThat(end.path("status").asText()).isEqualTo("timed-out");

        String id =
                client.get("/v1/instances").path("instances").get(0).path("id").asText();
        try (ClientSession session = login(id, "root", key)) {
            lines(exec(session, PAYLOAD + "run storage --id s2 --spec '/tmp/seatrial-run1/s1.spec.json'"));
            clock.advance(Duration.ofMillis(500));
            assertThat(lines(exec(session, PAYLOAD + "stop s2"))
                            .get(0)
                            .path("stopped")
                            .asBoolean())
                    .isTrue();
            List<JsonNode> stopped = lines(exec(session, PAYLOAD + "poll s2 --from 0"));
            assertThat(stopped.get(stopped.size() - 2).path("status").asText()).isEqualTo("stopped");
        }
    }

    @Test
    void rawOutputsAreCollectedAndNothingIsLeft() throws IOException {
        stage("a100-x1", "storage", "{}");
        String id =
                client.get("/v1/instances").path("instances").get(0).path("id").asText();
        try (ClientSession session = login(id, "root", key)) {
            Said tar = exec(session, PAYLOAD + "collect s1");
            assertThat(tar.status()).isZero();
            assertThat(tar.out()).contains("s1/events.jsonl", "s1/raw/simulated-storage.txt", "ustar");
            assertThat(tar.out().length() % 512).isZero();
            assertThat(lines(exec(session, PAYLOAD + "clean"))
                            .get(0)
                            .path("removed")
                            .asBoolean())
                    .isTrue();
            assertThat(exec(session, "test -e /tmp/seatrial-run1").status()).isEqualTo(1);
        }
    }

    @Test
    void filesCanBeWrittenWithoutSftp() throws IOException {
        String id = machine("st-abcd-files-t1", "a100-x1");
        try (ClientSession session = login(id, "root", key)) {
            assertThat(exec(session, "sh -c 'umask 077; cat > '\\''/tmp/a b.txt'\\'''", "content")
                            .status())
                    .isZero();
            assertThat(exec(session, "cat '/tmp/a b.txt'").out()).isEqualTo("content");
            assertThat(exec(session, "cat > ../../../../etc/outside && echo done", "x")
                            .status())
                    .isEqualTo(1);
            assertThat(exec(session, "nvidia-smi").status()).isEqualTo(127);
            assertThat(exec(session, "echo 'unterminated").status()).isEqualTo(2);
            assertThat(exec(session, PAYLOAD + "run compute --id s1 --spec x").status())
                    .isEqualTo(2);
        }
    }

    @Test
    void connectionsBreakOnDemand() throws IOException {
        String id = machine("st-abcd-broken-t1", "a100-x1");
        simulator.fault("{\"operation\": \"ssh\", \"call\": 2, \"action\": \"drop\"}");
        simulator.fault("{\"operation\": \"login\", \"call\": 2, \"action\": \"drop\"}");
        simulator.fault(
                "{\"operation\": \"ssh\", \"call\": 3, \"action\": \"status\", \"status\": 137, \"message\": \"Killed\"}");
        simulator.fault("{\"operation\": \"ssh\", \"call\": 4, \"action\": \"noise\"}");
        try (ClientSession session = login(id, "root", key)) {
            assertThat(exec(session, "echo one").out()).isEqualTo("one\n");
            assertThat(exec(session, "echo two").status()).isEqualTo(-1);
            assertThat(session.isOpen()).isFalse();
        }
        assertThatThrownBy(() -> login(id, "root", key)).isInstanceOf(IOException.class);
        try (ClientSession session = login(id, "root", key)) {
            assertThat(exec(session, "echo three")).isEqualTo(new Said(137, "", "Killed\n"));
            assertThat(exec(session, "echo four").out()).endsWith("four\n").startsWith("***");
        }
    }
}
