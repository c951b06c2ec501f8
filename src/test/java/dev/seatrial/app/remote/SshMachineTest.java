package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.app.remote.MachineException.Kind;
import dev.seatrial.provider.SshEndpoint;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SshMachineTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path home;

    private HostServer host;
    private FileLeaseKeys keys;
    private KeyPair user;
    private Path userKey;
    private Optional<Target> target = Optional.empty();
    private Machines machines;

    @BeforeEach
    void start() {
        host = HostServer.start();
        keys = new FileLeaseKeys(home.resolve("keys"));
        user = HostServer.pair("ssh-ed25519");
        userKey = HostServer.write(user, home.resolve("id"), Optional.empty());
        machines = new Machines(keys, provider -> target);
    }

    @AfterEach
    void stop() {
        machines.close();
        host.close();
    }

    private Machine handedOver(SshTarget.Login login) throws MachineException {
        return handedOver(login, Optional.empty());
    }

    private Machine handedOver(SshTarget.Login login, Optional<SshTarget.Login> jump) throws MachineException {
        target = Optional.of(new SshTarget(login, jump, Optional.empty(), OptionalInt.empty(), Optional.empty()));
        return machines.of("box", "lease1", Optional.empty());
    }

    private Machine ready() throws MachineException {
        host.trusting(user);
        return handedOver(HostServer.key(host.login(), userKey, Optional.empty()));
    }

    private static AbstractThrowableAssert<?, ?> assertFails(Machine machine, Kind kind) {
        return assertThatThrownBy(() -> machine.exec(Exec.of("true", LIMIT)))
                .isInstanceOfSatisfying(
                        MachineException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void commandsGiveStatusOutputAndErrors() throws Exception {
        Exec.Result result =
                ready().exec(Exec.of("cat; echo bad >&2; exit 3", LIMIT).reading("línea\n"));
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.text()).isEqualTo("línea\n");
        assertThat(result.err()).isEqualTo("bad\n");
        assertThat(result.ok()).isFalse();
    }

    @Test
    void outputBeyondTheCapIsCutOffAtOnce() throws Exception {
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        Exec.Result result = ready().exec(Exec.of("yes", LIMIT).into(sink, 1000));
        assertThat(result.cut()).isTrue();
        assertThat(sink.size()).isEqualTo(1000);
    }

    @Test
    void commandsEndAtTheirLimit() throws Exception {
        Machine machine = ready();
        assertThatThrownBy(() -> machine.exec(Exec.of("sleep 30", Duration.ofMillis(300))))
                .isInstanceOfSatisfying(
                        MachineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
        assertThat(machine.exec(Exec.of("echo still here", LIMIT)).text()).isEqualTo("still here\n");
        assertThat(host.sessions()).isEqualTo(1);
    }

    @Test
    void filesGoUpAndDown() throws Exception {
        transfer(ready());
    }

    @Test
    void filesGoUpAndDownWithoutSftp() throws Exception {
        host.close();
        host = HostServer.withoutSftp();
        transfer(ready());
    }

    private void transfer(Machine machine) throws Exception {
        byte[] content = new byte[3_000_001];
        new Random(1).nextBytes(content);
        Path file = home.resolve("it's a file");
        Files.write(file, new byte[5_000_000]);
        machine.upload(new ByteArrayInputStream(content), file.toString(), LIMIT);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        ByteArrayOutputStream back = new ByteArrayOutputStream();
        machine.download(file.toString(), back, Long.MAX_VALUE, LIMIT);
        assertThat(back.toByteArray()).isEqualTo(content);
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        machine.download(file.toString(), part, 1000, LIMIT);
        assertThat(part.size()).isEqualTo(1000);
        assertThatThrownBy(() -> machine.download(home + "/none", part, 1000, LIMIT))
                .isInstanceOfSatisfying(
                        MachineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.PROTOCOL));
    }

    @Test
    void aDroppedConnectionFailsTheCallAndTheNextOneConnectsAgain() throws Exception {
        Machine machine = ready();
        machine.exec(Exec.of("true", LIMIT));
        Thread cutter = new Thread(() -> {
            org.awaitility.Awaitility.await().until(() -> host.commands.contains("sleep 20"));
            host.drop();
        });
        cutter.start();
        assertThatThrownBy(() -> machine.exec(Exec.of("sleep 20", LIMIT)))
                .isInstanceOfSatisfying(
                        MachineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE));
        cutter.join();
        assertThat(machine.exec(Exec.of("echo back", LIMIT)).text()).isEqualTo("back\n");
    }

    @Test
    void aPasswordLetsUsIn() throws Exception {
        host.password = Optional.of("correct horse");
        Machine machine = handedOver(HostServer.password(host.login(), "correct horse"));
        assertThat(machine.exec(Exec.of("echo in", LIMIT)).text()).isEqualTo("in\n");
    }

    @Test
    void aWrongPasswordIsSaidWithoutShowingIt() throws Exception {
        host.password = Optional.of("correct horse");
        Machine machine = handedOver(HostServer.password(host.login(), "battery"));
        assertFails(machine, Kind.AUTH)
                .hasMessageContaining("refused the login")
                .hasMessageNotContaining("battery");
        assertThat(target.orElseThrow().toString()).doesNotContain("battery");
    }

    @Test
    void aKeyWithPassphraseLetsUsIn() throws Exception {
        host.trusting(user);
        Path locked = HostServer.write(user, home.resolve("locked"), Optional.of("sesame"));
        Machine machine = handedOver(HostServer.key(host.login(), locked, Optional.of("sesame")));
        assertThat(machine.exec(Exec.of("echo in", LIMIT)).text()).isEqualTo("in\n");
    }

    @Test
    void aKeyThatCannotBeReadIsNamedWithWhatToDo() throws Exception {
        Path locked = HostServer.write(user, home.resolve("locked"), Optional.of("sesame"));
        assertFails(handedOver(HostServer.key(host.login(), locked, Optional.empty())), Kind.LOCAL)
                .hasMessageContaining("locked")
                .hasMessageContaining("set 'passphrase'");
        machines.close("lease1");
        assertFails(handedOver(HostServer.key(host.login(), locked, Optional.of("wrong"))), Kind.LOCAL)
                .hasMessageContaining("is the passphrase right?");
        machines.close("lease1");
        assertFails(handedOver(HostServer.key(host.login(), home.resolve("none"), Optional.empty())), Kind.LOCAL)
                .hasMessageContaining("there is no key file");
    }

    @Test
    void aJumpHostWithItsOwnUserAndKeyIsGoneThrough() throws Exception {
        host.trusting(user);
        KeyPair other = HostServer.pair("ecdsa-sha2-nistp256");
        Path otherKey = HostServer.write(other, home.resolve("jump"), Optional.empty());
        try (HostServer jump = HostServer.start().trusting(other)) {
            Machine machine = handedOver(
                    HostServer.key(host.login(), userKey, Optional.empty()),
                    Optional.of(HostServer.key(jump.login(), otherKey, Optional.empty())));
            assertThat(machine.exec(Exec.of("echo in", LIMIT)).text()).isEqualTo("in\n");
            assertThat(jump.sessions()).isEqualTo(1);
            assertThat(host.commands).containsExactly("echo in");
            assertThat(keys.pinned("lease1.jump")).contains(jump.fingerprint());
            jump.drop();
            org.awaitility.Awaitility.await().untilAsserted(() -> assertThat(
                            machine.exec(Exec.of("echo again", LIMIT)).text())
                    .isEqualTo("again\n"));
        }
    }

    @Test
    void anotherFingerprintThanTheConfiguredOneIsRefused() throws Exception {
        host.trusting(user);
        String other = HostServer.fingerprint(HostServer.pair("ssh-ed25519").getPublic());
        SshTarget.Login login = HostServer.key(host.login(), userKey, Optional.empty());
        assertFails(handedOver(HostServer.fingerprint(login, other)), Kind.HOST_KEY)
                .hasMessageContaining(host.fingerprint())
                .hasMessageContaining(other);
        assertThat(host.commands).isEmpty();
    }

    @Test
    void theConfiguredFingerprintMayBeOfAnyOfTheHostsKeys() throws Exception {
        host.close();
        host = HostServer.with(
                List.of(
                        HostServer.pair("ssh-ed25519"),
                        HostServer.pair("ecdsa-sha2-nistp256"),
                        HostServer.pair("ssh-rsa")),
                0);
        host.trusting(user);
        SshTarget.Login login = HostServer.key(host.login(), userKey, Optional.empty());
        for (KeyPair key : host.hostKeys()) {
            Machine machine = handedOver(HostServer.fingerprint(login, HostServer.fingerprint(key.getPublic())));
            assertThat(machine.exec(Exec.of("echo in", LIMIT)).text()).isEqualTo("in\n");
            machines.close("lease1");
        }
        assertThat(keys.pinned("lease1")).isEmpty();
    }

    @Test
    void theHostKeyOfTheFirstLoginIsPinnedForTheLease() throws Exception {
        Machine machine = ready();
        machine.exec(Exec.of("true", LIMIT));
        assertThat(keys.pinned("lease1")).contains(host.fingerprint());
        int port = host.port();
        host.close();
        host = HostServer.with(List.of(HostServer.pair("ssh-ed25519")), port).trusting(user);
        // The kept connection may be found broken first; what it must never do is let us into the other machine.
        org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertFails(
                        machine, Kind.HOST_KEY)
                .hasMessageContaining("may be another machine"));
    }

    @Test
    void aHostKeySeenBeforeALoginSucceededIsNotPinned() throws Exception {
        Machine machine = handedOver(HostServer.key(host.login(), userKey, Optional.empty()));
        assertFails(machine, Kind.AUTH);
        assertThat(keys.pinned("lease1")).isEmpty();
    }

    @Test
    void rentedMachinesAreEnteredByTheLeasesKey() throws Exception {
        host.trusting(keys.keyPair("lease2"));
        SshProbe probe = new SshProbe(machines);
        SshEndpoint endpoint = new SshEndpoint("127.0.0.1", host.port(), "root");
        assertThat(probe.check("vendor", "lease2", endpoint)).isEmpty();
        assertThat(probe.check("vendor", "lease3", endpoint))
                .hasValueSatisfying(w -> assertThat(w).contains("refused the login"));
    }

    @Test
    void aMachineThatDoesNotListenIsUnreachable() throws Exception {
        int port = host.port();
        host.close();
        assertThat(new SshProbe(machines).check("vendor", "lease2", new SshEndpoint("127.0.0.1", port, "root")))
                .hasValueSatisfying(w -> assertThat(w).containsIgnoringCase("refused"));
        host = HostServer.start();
    }

    @Test
    void forgettingALeaseEndsItsSessionAndRemovesItsFiles() throws Exception {
        Machine machine = ready();
        machine.exec(Exec.of("true", LIMIT));
        keys.publicKey("lease1");
        keys.forget("lease1");
        org.awaitility.Awaitility.await()
                .untilAsserted(() -> assertThat(host.sessions()).isZero());
        assertThat(Files.list(home.resolve("keys"))).isEmpty();
    }

    @Test
    void motdBeforeTheAnswerDoesNoHarm() {
        String noise = "Welcome!\r\n{\"seatrial\":2,\"type\":\"version\"}\n{\"seatrial\":1,broken\n";
        String text = noise + "{\"seatrial\":1,\"type\":\"version\",\"version\":\"1\"}\n";
        assertThat(new Wire()
                        .last(text, "version")
                        .orElseThrow()
                        .path("version")
                        .asText())
                .isEqualTo("1");
        assertThat(new Wire().lines(new String(new byte[] {0, -1, 10}, StandardCharsets.ISO_8859_1)))
                .isEmpty();
    }

    @Test
    void twoMachinesAreVerifiedEachByItself() throws Exception {
        host.trusting(user);
        try (HostServer other = HostServer.start().trusting(user)) {
            for (HostServer server : List.of(host, other)) {
                SshTarget.Login login = HostServer.key(server.login(), userKey, Optional.empty());
                SshTarget box =
                        new SshTarget(login, Optional.empty(), Optional.empty(), OptionalInt.empty(), Optional.empty());
                target = Optional.of(box);
                new BorrowedProvider(
                                new dev.seatrial.provider.ProviderId("box"),
                                box,
                                machines,
                                new HandedOver(home),
                                org.joda.money.BigMoney.zero(org.joda.money.CurrencyUnit.of("CNY")))
                        .verify();
            }
            org.awaitility.Awaitility.await().untilAsserted(() -> assertThat(host.sessions() + other.sessions())
                    .isZero());
        }
    }
}
