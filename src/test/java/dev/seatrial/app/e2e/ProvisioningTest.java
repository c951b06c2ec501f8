package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.simulator.MeterReading.MeteredInstance;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class ProvisioningTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";

    @TempDir
    Path home;

    @Test
    void threeMachinesThatNeverStartAreAResultAboutTheVendor() {
        try (World world = new World(home)
                .vendor("dead", Plans.faulty("{\"operation\": \"create\", \"action\": \"never-boots\"}"))) {
            String id = world.run(Plans.plan("20", "- { provider: dead }", SHORT, Plans.MULTI));

            assertThat(world.meter("dead").created()).isEqualTo(3);
            assertThat(world.trial(id, "dead").stoppedAt()).contains("provisioning");
            assertThat(world.trial(id, "dead").reason()).contains("not usable within 60 s");
            assertThat(world.trial(id, "dead").verdict()).contains(Verdict.UNKNOWN);
            assertThat(world.ledger.evaluation(id).orElseThrow().status()).isEqualTo(EvaluationStatus.NOTHING_RENTED);
            world.assertNothingLost(id);
        }
    }

    @Test
    void aMachineThatCostsMoreThanItsQuoteGoesBackAtOnceAndTheSurplusIsTheVendorsOverrun() {
        try (World world = new World(home)
                .vendor(
                        "dearer",
                        "{\"extends\": \"steady\", \"faults\": [{\"operation\": \"create\", \"action\": \"price\","
                                + " \"factor\": 1.5}]}")) {
            String id = world.run(Plans.plan("20", "- { provider: dearer }", SHORT, Plans.MULTI));

            assertThat(world.meter("dearer").running()).isEmpty();
            assertThat(world.meter("dearer").instances())
                    .as("no new lease with a vendor that bills beyond its own price")
                    .hasSize(1);
            MeteredInstance instance = world.meter("dearer").instances().get(0);
            assertThat(Duration.between(instance.from(), instance.to().orElseThrow()))
                    .isLessThan(Duration.ofSeconds(30));
            assertThat(world.leases(id, "dearer").get(0).state()).isEqualTo(LeaseState.RELEASED);
            assertThat(world.trial(id, "dearer").reason()).contains("beyond its own rules");
            assertThat(world.ledger.audits(20))
                    .anySatisfy(a -> assertThat(a.subject()).contains("billed at CNY 13.5", "quoted CNY 9"));
            assertThat(world.ledger.spend(id).overrun().isPositive()).isTrue();
            assertThat(world.ledger
                            .spend(id)
                            .spent()
                            .plus(world.ledger.spend(id).overrun()))
                    .as("spent and overrun are the vendor's bill")
                    .isEqualByComparingTo(instance.billed());
        }
    }

    @Test
    void withoutCapacityItWaitsWithinTheWindowAndCostsNothing() {
        try (World world = new World(home)
                .vendor(
                        "full",
                        Plans.faulty("{\"operation\": \"create\", \"action\": \"status\", \"status\": 409,"
                                + " \"code\": \"no_capacity\", \"message\": \"All racks are taken.\"}"))) {
            String id = world.run(Plans.plan("20", "- { provider: full }", SHORT));

            assertThat(world.meter("full").created()).isZero();
            assertThat(world.trial(id, "full").reason()).contains("no capacity within 60 s", "All racks are taken.");
            assertThat(world.ledger.spend(id).spent().isZero()).isTrue();
            assertThat(world.ledger.leases(id)).hasSizeGreaterThan(2).allSatisfy(l -> assertThat(l.state())
                    .isEqualTo(LeaseState.NOT_CREATED));
            world.assertNothingLost(id);
        }
    }
}
