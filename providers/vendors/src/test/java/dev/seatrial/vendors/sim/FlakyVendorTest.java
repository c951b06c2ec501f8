package dev.seatrial.vendors.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.vendors.TestClock;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The way of one lease through the built-in profile on which most goes wrong. */
class FlakyVendorTest {
    private static final PublicKey KEY =
            new PublicKey("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA== flaky");

    private final TestClock clock = new TestClock(Instant.parse("2026-05-04T10:00:00Z"));

    @Test
    void aLeaseIsFoundAndReleasedAllTheSame() {
        try (Simulator simulator = Simulator.start(SimulatorOptions.of("flaky").withClock(clock));
                SimProvider provider = new SimProvider(new ProviderId("sim-flaky"), simulator.baseUri(), "sim-key")) {
            assertThat(provider.capabilities().idempotencyToken()).isFalse();
            assertThat(provider.capabilities().simulated()).isTrue();
            CreateRequest request = request(provider);

            for (int i = 0; i < 2; i++) {
                assertThat(provider.create(request))
                        .isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> assertThat(no.kind())
                                .isEqualTo(ErrorKind.NO_CAPACITY));
            }
            assertThat(provider.create(request)).isInstanceOf(CreateOutcome.Unknown.class);
            assertThat(provider.list()).as("hidden at first").isEmpty();
            clock.advance(provider.capabilities().settleWindow());
            Instance found = provider.list().get(0);
            assertThat(found.name()).isEqualTo(request.name().text());

            assertThat(provider.release(found.id())).isInstanceOf(ReleaseOutcome.RetryLater.class);
            clock.advance(Duration.ofSeconds(5));
            assertThat(provider.release(found.id())).isInstanceOf(ReleaseOutcome.Accepted.class);
            clock.advance(Duration.ofSeconds(1));
            assertThat(provider.get(found.id())).isEmpty();
            assertThat(simulator.meter().created()).isEqualTo(1);
            assertThat(simulator.meter().idle()).isTrue();
            assertThat(provider.cost(found.id()).orElseThrow().complete()).isTrue();
            assertThat(provider.cost(found.id()).orElseThrow().amount())
                    .isEqualByComparingTo(simulator.meter().billed());
        }
    }

    @Test
    void untilItIsHeardItsTraitsAreCautious() {
        URI nowhere = URI.create("http://127.0.0.1:9");
        try (SimProvider provider = new SimProvider(new ProviderId("sim-flaky"), nowhere, "sim-key")) {
            assertThat(provider.capabilities()).isEqualTo(SimTraits.CAUTIOUS.capabilities());
            assertThat(provider.capabilities().outsideOwner()).isFalse();
        }
    }

    private CreateRequest request(SimProvider provider) {
        LeaseName name = new LeaseName("abcd", "flaky1", clock.instant().plus(Duration.ofHours(1)));
        return new CreateRequest(
                name,
                "token",
                new OfferId("a100-x1"),
                Optional.empty(),
                provider.ensureSshKey(name, KEY),
                KEY,
                Optional.empty(),
                name.deadline());
    }
}
