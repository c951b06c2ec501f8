package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.WorkflowIds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Vendors whose answers cannot be trusted. */
@Timeout(180)
class FaultsTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";

    @TempDir
    Path home;

    @Test
    void lostAnswersLateEffectsEmptyListsAndReleasesThatDoNothingCostNoInstance() {
        String late = Plans.faulty(
                "{\"operation\": \"create\", \"call\": 1, \"effect\": \"after\", \"seconds\": 1.5, \"action\": \"drop\"}");
        String pretending = Plans.faulty(
                "{\"operation\": \"release\", \"from\": 1, \"to\": 2, \"action\": \"pretend\"}",
                "{\"operation\": \"create\", \"call\": 1, \"effect\": \"before\", \"action\": \"status\", \"status\": 504}");
        String forgetful = Plans.faulty(
                "{\"operation\": \"list\", \"probability\": 0.5, \"seed\": 7, \"action\": \"empty-list\"}",
                "{\"operation\": \"get\", \"probability\": 0.3, \"seed\": 8, \"action\": \"html\"}");
        try (World world = new World(home)
                .vendor("late", late)
                .vendor("pretending", pretending)
                .vendor("forgetful", forgetful)) {
            String candidates = """
                    - { provider: late }
                    - { provider: pretending }
                    - { provider: forgetful }
                    """;
            String id = world.run(Plans.plan("20", candidates, SHORT));

            assertThat(world.ledger.trials(id))
                    .allSatisfy(t -> assertThat(t.verdict()).as(t.reason()).contains(Verdict.PASS));
            assertThat(world.ledger.leases(id)).hasSize(3);
            world.assertNothingLost(id);
        }
    }

    @Test
    void aCreateThatIsUnderWayWhenTheUserCancelsIsWaitedForAndGivenBack() {
        String slow = Plans.faulty("{\"operation\": \"create\", \"action\": \"delay\", \"delayMillis\": 2500}");
        try (World world = new World(home).vendor("slow", slow)) {
            String id = world.start(world.read(Plans.plan("20", "- { provider: slow }", SHORT)));
            world.until("the create is under way", Duration.ofMillis(50), () -> world.ledger.leases(id).stream()
                    .anyMatch(l -> l.state() == LeaseState.CREATING));
            assertThat(world.service.cancel(id, "test")).isTrue();
            world.end(WorkflowIds.evaluation(id));

            assertThat(world.ledger.evaluation(id).orElseThrow().status()).isEqualTo(EvaluationStatus.CANCELLED);
            assertThat(world.meter("slow").created()).isEqualTo(1);
            world.assertNothingLost(id);
        }
    }

    @Test
    void aLeaseThatNobodyWaitsForEndsAtItsDeadline() {
        try (World world = new World(home).vendor("vendor", Plans.alone("steady"))) {
            String id = world.open(Plans.plan("20", "- { provider: vendor }", SHORT));
            LeaseRequest request = new LeaseRequest(
                    new LeaseKey(id, "vendor", Phase.SINGLE, 1),
                    world.provider("vendor").offers(OfferQuery.ALL).get(0),
                    1,
                    Optional.empty(),
                    Duration.ofSeconds(60),
                    Duration.ofHours(1),
                    world.clock.instant().plus(Duration.ofHours(2)));
            world.lease(request);

            LeaseRow lease = world.ledger.leases(id).get(0);
            assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
            assertThat(lease.readyAt()).isPresent();
            assertThat(lease.releasedAt().orElseThrow())
                    .isBetween(lease.timing().deadline(), lease.timing().latestGone());
            world.assertNothingLost(id);
        }
    }
}
