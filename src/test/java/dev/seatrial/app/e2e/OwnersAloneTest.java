package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.simulator.MeterReading.MeteredInstance;
import dev.seatrial.workflow.LeaseRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Law 2: each owner of a deadline ends the bill when all the others are dead. Real time is skipped; the vendor's meter says
 * when the machine was gone. The owner in another process is tried by {@code OwnersAloneIT}. Prints the table of
 * {@code docs/performance.md}.
 */
@Timeout(180)
class OwnersAloneTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";
    /** How long this vendor takes from a release, a deletion or a shutdown to gone. */
    private static final Duration RELEASE = Duration.ofMillis(800);

    @TempDir
    Path home;

    @Test
    void theWorkflowsTimer() {
        try (World world = new World(home).vendor("alone", vendor(false, false))) {
            // Nobody asked for the lease, so nobody asks for its end.
            LeaseRequest request = request(world);
            world.lease(request);
            LeaseRow lease = world.ledger.leases(request.key().evaluation()).get(0);

            assertGone(world, lease, "lease workflow's timer", LeaseTiming.WORKFLOW_RELEASE);
        }
    }

    @Test
    void theVendorsOwnDeletion() {
        try (World world = new World(home).vendor("alone", vendor(true, false))) {
            LeaseRow lease = orphan(world);
            world.pass(untilLatest(world, lease));

            assertGone(world, lease, "vendor's deletion", Duration.ofSeconds(5));
        }
    }

    @Test
    void theWatchdogInTheMachine() {
        try (World world = new World(home).vendor("alone", vendor(false, true))) {
            LeaseRow lease = orphan(world);
            world.pass(untilLatest(world, lease));

            assertGone(world, lease, "watchdog in the machine", Duration.ofSeconds(1));
        }
    }

    @Test
    void theSweepInTheService() {
        try (World world = new World(home).vendor("alone", vendor(false, false))) {
            LeaseRow lease = orphan(world);
            // The worst moment: a round has just looked when the deadline comes.
            world.pass(Duration.between(world.clock.instant(), lease.timing().deadline())
                    .minusSeconds(1));
            world.sweepOnce();
            world.until("gone", LeaseTiming.SWEEP_INTERVAL, () -> {
                world.sweepOnce();
                return world.meter("alone").idle();
            });

            assertGone(
                    world, lease, "sweep in the service", LeaseTiming.SWEEP_INTERVAL.plus(LeaseTiming.SWEEP_RELEASE));
        }
    }

    @Test
    void withoutAnyOwnerItWouldRunOn() {
        try (World world = new World(home).vendor("alone", vendor(false, false))) {
            LeaseRow lease = orphan(world);
            world.pass(untilLatest(world, lease).plus(Duration.ofHours(1)));

            assertThat(world.meter("alone").running())
                    .as("the tests above can fail")
                    .hasSize(1);
        }
    }

    @Test
    void aMachineThatDoesNotHonourItsStartUpDataIsNoOwner() {
        try (World world = new World(home).vendor("alone", vendor(false, false)).vendor("other", vendor(false, true))) {
            assertThat(world.provider("alone").capabilities().outsideOwner()).isFalse();
            world.provider("other").verify();
            assertThat(world.provider("other").capabilities().outsideOwner()).isTrue();
        }
    }

    /** A lease that nobody in our processes cares for any more. */
    private static LeaseRow orphan(World world) {
        return world.createAndForget(request(world));
    }

    private static LeaseRequest request(World world) {
        String id = world.open(Plans.plan("20", "- { provider: alone }", SHORT));
        return new LeaseRequest(
                new LeaseKey(id, "alone", Phase.SINGLE, 1),
                world.provider("alone").offers(OfferQuery.ALL).get(0),
                1,
                Optional.empty(),
                Duration.ofSeconds(60),
                Duration.ofMinutes(20),
                world.inAnHour());
    }

    private static Duration untilLatest(World world, LeaseRow lease) {
        return Duration.between(world.clock.instant(), lease.timing().latestGone());
    }

    private static void assertGone(World world, LeaseRow lease, String owner, Duration most) {
        MeteredInstance instance = world.meter("alone").instances().get(0);
        Instant gone = instance.to().orElseThrow(() -> new AssertionError(owner + ": still billing"));
        Duration after = Duration.between(lease.timing().deadline(), gone);

        System.out.printf("owner alone: %-24s gone %5.1f s after the deadline%n", owner, after.toMillis() / 1000.0);
        assertThat(after).as(owner + ": not before").isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(after).as(owner).isLessThanOrEqualTo(most.plus(RELEASE).plusMillis(500));
        assertThat(gone).isBeforeOrEqualTo(lease.timing().latestGone());
        BigMoney reserved = lease.timing().reserved();
        assertThat(instance.billed()).as("within what was reserved").isLessThanOrEqualTo(reserved);
    }

    private static String vendor(boolean deletes, boolean shutsDown) {
        return """
                {"extends": "steady", "deadline": {"supported": %b, "late": 2},
                 "traits": {"cost": false, "shutdownEndsBill": %b}}""".formatted(deletes, shutsDown);
    }
}
