package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.ErrorKind;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowStub;
import io.temporal.failure.CanceledFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One instance, whatever happens: it ends released, or it never was. */
class LeaseWorkflowTest {
    private final Harness h = new Harness();
    private final World world = h.world;

    @AfterEach
    void nothingRuns() {
        h.close();
    }

    @Test
    void holdsUntilAskedAndThenReleases() throws Exception {
        WorkflowStub lease = start();
        waitFor("open");
        h.env.sleep(Duration.ofMinutes(10));
        assertThat(world.stillRunning()).hasSize(1);

        lease.signal("release", "single phase done");

        LeaseResult end = lease.getResult(LeaseResult.class);
        assertThat(end.end()).isEqualTo(LeaseResult.End.RELEASED);
        assertThat(world.told("released")).containsExactly("released sims1: single phase done");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void releasesAtTheDeadlineWhenNobodyAsks() {
        LeaseResult end = start().getResult(LeaseResult.class);

        assertThat(end.end()).isEqualTo(LeaseResult.End.RELEASED);
        assertThat(world.told("released")).containsExactly("released sims1: deadline");
    }

    @Test
    void aCreateWithoutAnAnswerIsLookedUpByNameAndNeverSentAgain() throws Exception {
        world.createLosesAnswer = true;
        WorkflowStub lease = start();
        waitFor("resolve");
        lease.signal("release", "done");

        assertThat(lease.getResult(LeaseResult.class).end()).isEqualTo(LeaseResult.End.RELEASED);
        assertThat(world.told("create ")).containsExactly("create sims1");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aCreateProvenToHaveDoneNothingNeedsNoRelease() {
        world.creates.add(new CreateResult(
                CreateResult.Outcome.NOT_CREATED, Optional.empty(), Optional.of(ErrorKind.NO_CAPACITY), "sold out"));

        LeaseResult end = start().getResult(LeaseResult.class);

        assertThat(end.end()).isEqualTo(LeaseResult.End.REFUSED);
        assertThat(end.kind()).contains(ErrorKind.NO_CAPACITY);
        assertThat(end.words()).isEqualTo("sold out");
        assertThat(world.told("released")).isEmpty();
    }

    @Test
    void aRefusalThatCarriesAnIdIsReleased() {
        world.creates.add(new CreateResult(
                CreateResult.Outcome.REFUSED_WITH_ID,
                Optional.of("i-sims1"),
                Optional.of(ErrorKind.INSUFFICIENT_FUNDS),
                "bid too low"));

        LeaseResult end = start().getResult(LeaseResult.class);

        assertThat(end.end()).isEqualTo(LeaseResult.End.REFUSED);
        assertThat(world.told("released")).hasSize(1);
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void oneThatCanNeverBecomeUsableIsReleasedAndSaysWhy() {
        world.neverReady = true;

        LeaseResult end = start().getResult(LeaseResult.class);

        assertThat(end.end()).isEqualTo(LeaseResult.End.NEVER_READY);
        assertThat(end.words()).contains("ERROR");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void oneThatIsNotUsableInTimeIsReleased() {
        world.neverAnswersReady = true;

        LeaseResult end = start().getResult(LeaseResult.class);

        assertThat(end.end()).isEqualTo(LeaseResult.End.NEVER_READY);
        assertThat(end.words()).contains("not usable within 300 s").contains("booting");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aRefusedReleaseIsTriedForHours() {
        world.refuseReleases = 100;

        start().getResult(LeaseResult.class);

        assertThat(world.stillRunning()).isEmpty();
        assertThat(world.refuseReleases).isZero();
    }

    @Test
    void aCancelWhileTheCreateIsInFlightReleasesOnlyAfterItHasReturned() throws Exception {
        world.createIsSlow = true;
        WorkflowStub lease = start();
        assertThat(world.createEntered.await(20, TimeUnit.SECONDS)).isTrue();

        lease.cancel();
        world.createMayReturn.countDown();

        closesAsCancelled(lease);
        assertThat(world.diary.indexOf("answered sims1"))
                .isBetween(0, world.diary.indexOf(world.told("released").get(0)) - 1);
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aReleaseAskedForWhileProvisioningEndsTheWait() throws Exception {
        world.neverAnswersReady = true;
        WorkflowStub lease = start();
        waitFor("answered");

        lease.signal("release", "not wanted any more");

        lease.getResult(LeaseResult.class);
        assertThat(world.told("released")).containsExactly("released sims1: not wanted any more");
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aReleaseSignalWithoutAReasonIsARelease() throws Exception {
        WorkflowStub lease = start();
        waitFor("answered");

        lease.signal("release", (Object) null);

        lease.getResult(LeaseResult.class);
        assertThat(world.told("released")).containsExactly("released sims1: asked");
    }

    @Test
    void withoutMoneyNothingIsSent() {
        world.decision = LeaseOpening.Decision.REFUSED;

        LeaseResult end = start().getResult(LeaseResult.class);

        assertThat(end.end()).isEqualTo(LeaseResult.End.NO_MONEY);
        assertThat(world.told("create")).isEmpty();
    }

    @Test
    void terminationRunsNoCleanupSoTheSweepMustOwnTheDeadline() throws Exception {
        WorkflowStub lease = start();
        waitFor("answered");

        lease.terminate("by hand");

        assertThat(world.told("released")).isEmpty();
        assertThat(world.stillRunning()).containsExactly("i-sims1");
    }

    private WorkflowStub start() {
        LeaseKey key = new LeaseKey("ev1", "sim", Phase.SINGLE, 1);
        LeaseWorkflow lease = h.stub(LeaseWorkflow.class, Queues.RELEASE, WorkflowIds.lease(key));
        LeaseRequest request = new LeaseRequest(
                key,
                Plans.offer(1),
                1,
                Optional.empty(),
                Duration.ofMinutes(5),
                Duration.ofMinutes(30),
                h.now().plus(Duration.ofHours(10)));
        WorkflowClient.start(lease::run, request);
        return WorkflowStub.fromTyped(lease);
    }

    /** A workflow that was asked to cancel closes as cancelled, whatever it returns; its clean-up has run by then. */
    private static void closesAsCancelled(WorkflowStub workflow) {
        assertThatThrownBy(() -> workflow.getResult(LeaseResult.class)).hasCauseInstanceOf(CanceledFailure.class);
    }

    private void waitFor(String line) {
        await().atMost(Duration.ofSeconds(20)).until(() -> !world.told(line).isEmpty());
    }
}
