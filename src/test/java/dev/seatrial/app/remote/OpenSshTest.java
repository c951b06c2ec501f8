package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.KeyRef;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.SshEndpoint;
import dev.seatrial.workflow.StageRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A handed-over machine behind OpenSSH: used, dropped, used again, and left as it was. */
class OpenSshTest {
    private static final String PASSPHRASE = "a phrase, with 汉字";

    @TempDir
    Path home;

    @Test
    void aHandedOverMachineIsMeasuredAndLeftAsItWas() throws Exception {
        Assumptions.assumeTrue(
                OpenSsh.program().isPresent(), "no sshd on this machine: install openssh-server to run this test");
        try (OpenSsh sshd = OpenSsh.start(home, PASSPHRASE)) {
            Target target = new SshTarget(
                    sshd.login(PASSPHRASE), Optional.empty(), Optional.empty(), OptionalInt.empty(), Optional.empty());
            List<String> before;
            String lease;
            try (StageFixture fixture = new StageFixture(home, "box", Optional.of(target), Optional.empty())) {
                lease = fixture.lease.id();
                before = traces(sshd, lease);
                BorrowedProvider provider = new BorrowedProvider(
                        new ProviderId("box"),
                        target,
                        fixture.machines,
                        fixture.records,
                        BigMoney.zero(CurrencyUnit.of("CNY")));
                provider.verify();
                SshEndpoint endpoint = use(provider, fixture);
                assertThat(new SshProbe(fixture.machines).check("box", fixture.lease.id(), endpoint))
                        .isEmpty();
                measure(fixture, sshd);
                assertThat(traces(sshd, lease)).isNotEqualTo(before);
                assertThat(new HandedOverCleaner(fixture.machines, fixture.records).tryClean(fixture.target.lease()))
                        .isEmpty();
                assertThat(provider.list()).isEmpty();
                assertThat(fixture.ledger.leaseEvents(fixture.lease.id()))
                        .anyMatch(e -> e.type().equals("host-key")
                                && e.detail().contains(sshd.fingerprint)
                                && e.detail().contains("as configured"));
            }
            assertThat(traces(sshd, lease)).isEqualTo(before);
        }
    }

    private static SshEndpoint use(BorrowedProvider provider, StageFixture fixture) {
        OfferId offer = provider.offers(OfferQuery.ALL).get(0).id();
        CreateOutcome outcome = provider.create(new CreateRequest(
                fixture.lease.name(),
                fixture.lease.token(),
                offer,
                Optional.empty(),
                new KeyRef("none"),
                new PublicKey("none"),
                Optional.empty(),
                Instant.now()));
        assertThat(outcome).isInstanceOf(CreateOutcome.Created.class);
        Instance instance = provider.list().get(0);
        assertThat(instance.name()).isEqualTo(fixture.lease.name().text());
        assertThat(provider.get(((CreateOutcome.Created) outcome).id())).contains(instance);
        return instance.ssh().orElseThrow();
    }

    private static void measure(StageFixture fixture, OpenSsh sshd) {
        fixture.task(new TaskSpec(
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                "(sleep 4812 &) ; for i in 1 2 3 4 5; do echo n=$i; sleep 0.5; done",
                Duration.ofSeconds(40),
                Map.of("n", new TaskSpec.Metric("n=([0-9]+)", "", true)),
                Map.of()));
        fixture.activities.prepare(fixture.target);
        for (StageName stage : List.of(StageName.ENVIRONMENT, StageName.TASK, StageName.NETWORK)) {
            StageRun run = fixture.run(stage, Duration.ofSeconds(80));
            fixture.activities.start(run);
            fixture.once(run);
            if (stage == StageName.TASK) {
                sshd.dropConnections();
            }
            fixture.await(run);
            fixture.activities.finish(run, "ok");
            assertThat(fixture.row(run).end()).as(stage.word()).isEqualTo("ok");
            if (stage == StageName.NETWORK) {
                assertThat(fixture.events(run)).anyMatch(e -> e.contains("network_upload"));
            }
        }
    }

    /** Folders and processes of ours, what lies in the home, and the keys that may log in. */
    private static List<String> traces(OpenSsh sshd, String lease) throws IOException {
        List<String> found = new ArrayList<>();
        for (String place : List.of(System.getProperty("java.io.tmpdir"), "/dev/shm", "/var/tmp")) {
            try (Stream<Path> files = Files.list(Path.of(place))) {
                files.map(Path::toString)
                        .filter(p -> p.endsWith("/seatrial-" + lease))
                        .sorted()
                        .forEach(found::add);
            }
        }
        try (Stream<Path> files = Files.walk(sshd.userHome)) {
            files.map(Path::toString).sorted().forEach(found::add);
        }
        ProcessHandle.allProcesses()
                .map(p -> p.info().commandLine().orElse(""))
                .filter(c -> c.contains("seatrial-" + lease) || c.contains("sleep 4812"))
                .forEach(found::add);
        found.add(Files.readString(sshd.authorizedKeys));
        found.add(Files.getLastModifiedTime(sshd.authorizedKeys).toString());
        return found;
    }
}
