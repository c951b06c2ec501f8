package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.StageActivities;
import dev.seatrial.workflow.WorkflowIds;
import io.temporal.failure.ApplicationFailure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** However a parent ends while a machine is in use, the machine goes back. */
@Timeout(180)
class ParentsTest {
    private static final String PLAN =
            Plans.plan("20", "- { provider: vendor }", "single: { stages: [environment, compute, storage] }");
    private static final Duration STEP = Duration.ofSeconds(5);

    private final AtomicBoolean asked = new AtomicBoolean();

    @TempDir
    Path home;

    @Test
    void cancelledItGoesBackAtOnce() {
        try (World world = new World(home).vendor("vendor", Plans.alone("steady"))) {
            String id = world.start(world.read(PLAN));
            LeaseRow lease = world.ready(id);
            assertThat(world.service.cancel(id, "test")).isTrue();
            world.end(WorkflowIds.evaluation(id));

            assertThat(world.ledger.evaluation(id).orElseThrow().status()).isEqualTo(EvaluationStatus.CANCELLED);
            assertReleasedBefore(world, lease, lease.timing().deadline());
            assertNothingGoesOn(world, id);
        }
    }

    @Test
    void aBugInTheTrialSendsItBackAtOnceAndTheEvaluationSaysSo() {
        try (World world = new World(home, ParentsTest::answeringNothing).vendor("vendor", Plans.alone("steady"))) {
            String id = world.start(world.read(PLAN));
            LeaseRow lease = world.ready(id);
            world.end(WorkflowIds.evaluation(id));

            assertThat(world.ledger.evaluation(id).orElseThrow().status()).isEqualTo(EvaluationStatus.FAILED);
            assertThat(world.ledger.evaluation(id).orElseThrow().note()).startsWith("vendor: ");
            assertReleasedBefore(world, lease, lease.timing().deadline());
            assertNothingGoesOn(world, id);
        }
    }

    @Test
    void whenTheEvaluationIsTerminatedItsTrialsEndAsUsual() {
        try (World world = new World(home).vendor("vendor", Plans.alone("steady"))) {
            String id = world.start(world.read(PLAN));
            LeaseRow lease = world.ready(id);
            world.terminate(WorkflowIds.evaluation(id));
            world.end(WorkflowIds.trial(id, "vendor"));

            assertReleasedBefore(world, lease, lease.timing().deadline());
            assertNothingGoesOn(world, id);
        }
    }

    @Test
    void whenTheTrialIsTerminatedTheLeasesOwnTimerReleasesIt() {
        try (World world = new World(home, this::unreachable).vendor("vendor", Plans.alone("steady"))) {
            String id = world.start(world.read(PLAN));
            LeaseRow lease = world.ready(id);
            world.until("the trial waits", Duration.ofSeconds(1), asked::get);
            world.pass(Duration.ofSeconds(2));
            world.terminate(WorkflowIds.trial(id, "vendor"));
            world.end(WorkflowIds.lease(lease.key()));

            assertReleasedAfter(world, lease, lease.timing().deadline());
            assertThat(reason(world, lease)).isEqualTo("deadline");
            // The test service tells no parent that its child was terminated.
            world.terminate(WorkflowIds.evaluation(id));
            assertNothingGoesOn(world, id);
        }
    }

    @Test
    void whenTheLeasesWorkflowIsTerminatedTooTheSweepReleasesIt() {
        try (World world = new World(home, this::unreachable).vendor("vendor", Plans.alone("steady"))) {
            String id = world.start(world.read(PLAN));
            LeaseRow lease = world.ready(id);
            world.until("the trial waits", Duration.ofSeconds(1), asked::get);
            world.pass(Duration.ofSeconds(2));
            world.terminate(WorkflowIds.evaluation(id));
            world.terminate(WorkflowIds.trial(id, "vendor"));
            world.terminate(WorkflowIds.lease(lease.key()));
            world.sweepOnce();
            assertThat(world.meter("vendor").running())
                    .as("not before its deadline")
                    .hasSize(1);

            world.until("swept", STEP, () -> {
                world.sweepOnce();
                return world.ledger.openLeases().isEmpty();
            });
            assertReleasedAfter(world, lease, lease.timing().deadline());
            assertThat(reason(world, lease)).isEqualTo("sweep: past its deadline");
            assertNothingGoesOn(world, id);
        }
    }

    /** Stages that end with no answer at all, which no caller is prepared for. */
    private static StageActivities answeringNothing(StageActivities real) {
        return spoilt(real, "finish", () -> Optional.empty());
    }

    /**
     * Machines that cannot be reached, so that the trial waits in back-off. (A workflow that is terminated while one of its
     * activities runs leaves the test service's time unskippable.)
     */
    private StageActivities unreachable(StageActivities real) {
        return spoilt(real, "prepare", () -> {
            asked.set(true);
            return Optional.of(NotYet.unreachable(Duration.ofSeconds(150), "no route to host"));
        });
    }

    private static StageActivities spoilt(
            StageActivities real, String call, Supplier<Optional<ApplicationFailure>> instead) {
        return (StageActivities) Proxy.newProxyInstance(
                StageActivities.class.getClassLoader(), new Class<?>[] {StageActivities.class}, (p, method, given) -> {
                    if (method.getName().equals(call)) {
                        Optional<ApplicationFailure> failure = instead.get();
                        if (failure.isPresent()) {
                            throw failure.get();
                        }
                        return null;
                    }
                    try {
                        return method.invoke(real, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void assertReleasedBefore(World world, LeaseRow lease, Instant moment) {
        LeaseRow now = world.ledger.lease(lease.id()).orElseThrow();
        assertThat(now.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(now.releasedAt().orElseThrow()).isBefore(moment);
    }

    private static void assertReleasedAfter(World world, LeaseRow lease, Instant moment) {
        LeaseRow now = world.ledger.lease(lease.id()).orElseThrow();
        assertThat(now.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(now.releasedAt().orElseThrow())
                .isBetween(moment, lease.timing().latestGone());
    }

    private static String reason(World world, LeaseRow lease) {
        return world.ledger.leaseEvents(lease.id()).stream()
                .filter(e -> e.type().equals("releasing"))
                .map(LeaseEvent::detail)
                .findFirst()
                .orElse("");
    }

    private static void assertNothingGoesOn(World world, String id) {
        assertThat(world.ended(WorkflowIds.evaluation(id))).isTrue();
        assertThat(world.ended(WorkflowIds.trial(id, "vendor"))).isTrue();
        assertThat(world.ledger.leases(id)).allSatisfy(l -> assertThat(world.ended(WorkflowIds.lease(l.key())))
                .isTrue());
        world.assertNothingLost(id);
    }
}
