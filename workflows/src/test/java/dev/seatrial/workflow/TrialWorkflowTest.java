package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.measure.Gate;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.provider.ErrorKind;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowStub;
import io.temporal.failure.CanceledFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Phases, gate and ladder; and that a trial ends only after its machines are gone. */
class TrialWorkflowTest {
    private final Harness h = new Harness();
    private final World world = h.world;

    @AfterEach
    void close() {
        h.close();
    }

    @Test
    void aHealthyTrialGoesFromOneGpuUpTheLadder() {
        TrialOutcome end = run(Plans.multi(false, 2, 8));

        assertThat(end.verdict()).isEqualTo(Verdict.PASS);
        assertThat(end.stoppedAt()).isEmpty();
        assertThat(world.everCreated).containsExactly("i-simm1", "i-simm2", "i-sims1");
        assertThat(world.stillRunning()).isEmpty();
        assertThat(world.diary.indexOf("released sims1: single phase done"))
                .isLessThan(world.diary.indexOf("create simm1"));
    }

    @Test
    void aFailedBaselineIsMeasuredOnceMoreHereOnceElsewhereAndNeverGoesToSeveralGpus() {
        world.verdicts.put(
                "single/compute", new ArrayDeque<>(List.of(Verdict.FAIL, Verdict.FAIL, Verdict.FAIL, Verdict.FAIL)));

        TrialOutcome end = run(Plans.multi(false, 8));

        assertThat(end.stoppedAt()).contains("single/compute");
        assertThat(world.everCreated).containsExactly("i-sims1", "i-sims2");
        assertThat(world.told("start")).filteredOn(s -> s.contains("compute")).hasSize(4);
        assertThat(world.told("start sims2")).noneMatch(s -> s.contains("storage"));
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void noiseOnOneMachineIsNotAFailure() {
        world.verdicts.put("single/compute", new ArrayDeque<>(List.of(Verdict.FAIL, Verdict.PASS)));

        assertThat(run(Plans.multi(false, 8)).stoppedAt()).isEmpty();
        assertThat(world.everCreated).containsExactly("i-simm1", "i-sims1");
    }

    @Test
    void aFailedEnvironmentStopsThePhaseAtOnce() {
        world.verdicts.put("single/environment", new ArrayDeque<>(List.of(Verdict.FAIL, Verdict.FAIL)));

        assertThat(run(Plans.multi(false, 8)).stoppedAt()).contains("single/environment");
        assertThat(world.told("finish compute")).isEmpty();
    }

    @Test
    void theGateStaysShutWhenARequiredFigureCouldNotBeTold() {
        world.verdicts.put("single/compute", new ArrayDeque<>(List.of(Verdict.UNKNOWN)));

        TrialOutcome end = run(Plans.multi(false, 8));

        assertThat(end.stoppedAt()).contains("gate");
        assertThat(end.reason()).contains("matmul_bf16_sustained").contains("could not tell");
        assertThat(world.everCreated).containsExactly("i-sims1");
    }

    @Test
    void noCapacityIsWaitedOutWithANewOrdinalEachTime() {
        for (int i = 0; i < 3; i++) {
            world.creates.add(refusal(ErrorKind.NO_CAPACITY));
        }

        assertThat(run(Optional.empty()).stoppedAt()).isEmpty();
        assertThat(world.told("create "))
                .containsExactly("create sims1", "create sims2", "create sims3", "create sims4");
        assertThat(world.everCreated).containsExactly("i-sims4");
    }

    @Test
    void aWindowWithoutCapacityEndsInTheVendorsWords() {
        for (int i = 0; i < 500; i++) {
            world.creates.add(refusal(ErrorKind.NO_CAPACITY));
        }

        TrialOutcome end = run(Optional.empty());

        assertThat(end.stoppedAt()).contains("provisioning");
        assertThat(end.reason()).contains("no capacity within 1200 s").contains("no, says the vendor");
        assertThat(end.rented()).isFalse();
    }

    @Test
    void aQuotaIsFinalAtOnce() {
        world.creates.add(refusal(ErrorKind.QUOTA));

        TrialOutcome end = run(Optional.empty());

        assertThat(end.reason()).isEqualTo("QUOTA: no, says the vendor");
        assertThat(world.told("create ")).hasSize(1);
    }

    @Test
    void threeMachinesThatNeverBecomeUsableAreEnough() {
        world.neverReady = true;

        TrialOutcome end = run(Optional.empty());

        assertThat(end.stoppedAt()).contains("provisioning");
        assertThat(world.everCreated).hasSize(3);
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aBugInAStageReleasesTheMachine() {
        world.finishBug = Optional.of(new IllegalStateException("our bug"));

        TrialOutcome end = run(Optional.empty());

        assertThat(end.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aCancelInTheMiddleOfAStageReleasesBeforeTheTrialEnds() {
        world.stagesHang = true;
        WorkflowStub trial = start(Optional.empty());
        waitFor("start");

        trial.cancel();

        assertThatThrownBy(() -> trial.getResult(TrialOutcome.class)).hasCauseInstanceOf(CanceledFailure.class);
        assertThat(world.told("concluded")).containsExactly("concluded sim cancelled cancelled");
        assertThat(world.stillRunning()).isEmpty();
        assertThat(world.diary.indexOf(world.told("released").get(0)))
                .isLessThan(world.diary.indexOf(world.told("concluded").get(0)));
    }

    @Test
    void aHangingStageEndsAtOurLimitAndIsNoVerdictAboutTheMachine() {
        world.stagesHang = true;

        TrialOutcome end = run(Optional.empty());

        assertThat(world.told("finish")).allMatch(f -> f.endsWith("timed-out"));
        assertThat(world.told("stop environment")).hasSize(1);
        assertThat(end.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void aSignalFromNowhereDoesNotDisturbATrial() {
        world.stagesHang = true;
        WorkflowStub trial = start(Optional.empty());
        waitFor("start");

        trial.signal("leaseReady", (Object) null);
        trial.signal("leaseReady", "not a lease");
        world.stagesHang = false;

        assertThat(trial.getResult(TrialOutcome.class).stoppedAt()).isEmpty();
        assertThat(world.stillRunning()).isEmpty();
    }

    @Test
    void approvalIsAskedForAfterTheSingleMachineIsGone() {
        WorkflowStub trial = start(Plans.multi(true, 8));
        waitFor("approval");
        assertThat(world.stillRunning()).isEmpty();

        trial.update("approveEscalation", Void.class, true, "tester");

        assertThat(trial.getResult(TrialOutcome.class).stoppedAt()).isEmpty();
        assertThat(world.everCreated).contains("i-simm1");
    }

    @Test
    void anApprovalThatDoesNotComeIsARefusal() {
        TrialOutcome end = run(Plans.multi(true, 8));

        assertThat(end.stoppedAt()).contains("approval");
        assertThat(world.everCreated).containsExactly("i-sims1");
    }

    @Test
    void anApprovalNobodyWaitsForIsRejected() {
        world.stagesHang = true;
        WorkflowStub trial = start(Plans.multi(true, 8));
        waitFor("start");

        assertThatThrownBy(() -> trial.update("approveEscalation", Void.class, true, "tester"))
                .isInstanceOf(WorkflowException.class)
                .hasStackTraceContaining("is not waiting for an approval");
    }

    @Test
    void aStageCanBeLeftOut() {
        world.stagesHang = true;
        WorkflowStub trial = start(Optional.empty());
        waitFor("start");

        trial.update("skipStage", Void.class, "environment");
        world.stagesHang = false;

        trial.getResult(TrialOutcome.class);
        assertThat(world.told("finish environment")).containsExactly("finish environment skipped");
    }

    @Test
    void aFailureOnALowerRungStopsTheLadder() {
        world.verdicts.put("multi/interconnect", new ArrayDeque<>(List.of(Verdict.FAIL, Verdict.FAIL)));

        TrialOutcome end = run(Plans.multi(false, 2, 8));

        assertThat(end.stoppedAt()).contains("multi-2/interconnect");
        assertThat(world.everCreated).containsExactly("i-simm1", "i-sims1");
    }

    @Test
    void oneWholeMachineServesBothPhasesAndEveryRung() {
        world.wholeMachine = 8;

        TrialOutcome end = run(Plans.multi(false, 2, 8));

        assertThat(end.stoppedAt()).isEmpty();
        assertThat(world.everCreated).containsExactly("i-sims1");
        assertThat(world.told("start"))
                .contains("start sims1-s1-compute-1", "start sims1-m2-compute-1", "start sims1-m8-interconnect-1");
        assertThat(world.requests).singleElement().satisfies(r -> {
            assertThat(r.gpus()).isEqualTo(1);
            assertThat(r.work()).isEqualTo(WorkTime.wholeMachine(Plans.plan(Plans.multi(false, 2, 8), "sim"), 8));
        });
        assertThat(world.told("released")).containsExactly("released sims1: rung done");
    }

    @Test
    void aWholeMachineIsNotKeptWhileTheGateIsShutNorWhileSomeoneIsAsked() {
        world.wholeMachine = 8;

        assertThat(run(Plans.multi(true, 8)).stoppedAt()).contains("approval");

        assertThat(world.told("released")).containsExactly("released sims1: single phase done");
        assertThat(world.requests.get(0).work()).isEqualTo(WorkTime.single(Plans.plan(Optional.empty(), "sim")));
        assertThat(world.diary.indexOf("released sims1: single phase done"))
                .isLessThan(world.diary.indexOf("approval"));
    }

    @Test
    void aResumedTrialRentsNoSingleMachineForAFinishedSinglePhase() {
        TrialOutcome end = resume(
                        Plans.multi(false, 2, 8),
                        List.of(
                                done(Phase.SINGLE, 1, StageName.ENVIRONMENT, Verdict.PASS),
                                done(Phase.SINGLE, 1, StageName.COMPUTE, Verdict.PASS),
                                done(Phase.SINGLE, 1, StageName.STORAGE, Verdict.PASS),
                                done(Phase.MULTI, 2, StageName.ENVIRONMENT, Verdict.PASS)))
                .getResult(TrialOutcome.class);

        assertThat(end.verdict()).isEqualTo(Verdict.PASS);
        assertThat(world.everCreated).containsExactly("i-simm5", "i-simm6");
        assertThat(world.told("start"))
                .containsExactly(
                        "start simm5-m2-compute-1",
                        "start simm5-m2-interconnect-1",
                        "start simm6-m8-environment-1",
                        "start simm6-m8-compute-1",
                        "start simm6-m8-interconnect-1");
    }

    @Test
    void aResumedTrialRunsOnlyWhatIsMissingAndStopsAtWhatFailed() {
        assertThat(resume(
                                Plans.multi(false, 8),
                                List.of(
                                        done(Phase.SINGLE, 1, StageName.ENVIRONMENT, Verdict.PASS),
                                        done(Phase.SINGLE, 1, StageName.COMPUTE, Verdict.FAIL)))
                        .getResult(TrialOutcome.class)
                        .stoppedAt())
                .contains("single/compute");
        assertThat(world.told("start")).containsExactly("start sims4-s1-storage-1");
        assertThat(world.everCreated).containsExactly("i-sims4");
    }

    @Test
    void aFailedRungStaysFailedWhenATrialIsResumed() {
        TrialOutcome end = resume(
                        Plans.multi(false, 2, 8),
                        List.of(
                                done(Phase.SINGLE, 1, StageName.ENVIRONMENT, Verdict.PASS),
                                done(Phase.SINGLE, 1, StageName.COMPUTE, Verdict.PASS),
                                done(Phase.SINGLE, 1, StageName.STORAGE, Verdict.PASS),
                                done(Phase.MULTI, 2, StageName.COMPUTE, Verdict.FAIL)))
                .getResult(TrialOutcome.class);

        assertThat(end.stoppedAt()).contains("multi-2/compute");
        assertThat(world.everCreated).isEmpty();
    }

    @Test
    void aStageEndsWithTheMachineItRunsOn() {
        world.stagesHang = true;
        world.hold = Duration.ofMinutes(7);

        TrialOutcome end = run(Plans.multi(false, 8));

        assertThat(world.told("finish")).containsExactly("finish environment timed-out", "finish compute lost");
        assertThat(end.stoppedAt()).contains("single");
        assertThat(end.reason()).contains("gone before");
        assertThat(world.told("released")).containsExactly("released sims1: deadline");
    }

    @Test
    void aBorrowedMachineIsLeftAsItWasAlsoByACancelledTrial() {
        world.borrowed = true;
        world.stagesHang = true;
        WorkflowStub trial = start(Optional.empty());
        waitFor("start");

        trial.cancel();

        assertThatThrownBy(() -> trial.getResult(TrialOutcome.class)).hasCauseInstanceOf(CanceledFailure.class);
        assertThat(world.diary)
                .containsSubsequence(
                        "start sims1-s1-environment-1",
                        "stop environment",
                        "clean sims1",
                        "released sims1: trial over");
    }

    @Test
    void aLeaseWhoseTrialIsTerminatedReleasesAtItsDeadline() {
        world.stagesHang = true;
        WorkflowStub trial = start(Optional.empty());
        waitFor("start");

        trial.terminate("by hand");

        LeaseKey key = new LeaseKey("ev1", "sim", Phase.SINGLE, 1);
        h.env.getWorkflowClient().newUntypedWorkflowStub(WorkflowIds.lease(key)).getResult(LeaseResult.class);
        assertThat(world.told("released")).containsExactly("released sims1: deadline");
    }

    @Test
    void aLeaseThatIsCancelledByHandEndsItsTrialInWords() {
        world.neverAnswersReady = true;
        WorkflowStub trial = start(Optional.empty());
        waitFor("answered");

        LeaseKey key = new LeaseKey("ev1", "sim", Phase.SINGLE, 1);
        h.env.getWorkflowClient().newUntypedWorkflowStub(WorkflowIds.lease(key)).cancel();

        TrialOutcome end = trial.getResult(TrialOutcome.class);
        assertThat(end.stoppedAt()).contains("provisioning");
        assertThat(end.reason()).contains("the lease ended early");
        assertThat(world.stillRunning()).isEmpty();
    }

    private WorkflowStub resume(Optional<MultiPhase> multi, List<StageSummary> finished) {
        TrialWorkflow trial = h.stub(TrialWorkflow.class, Queues.CONTROL, WorkflowIds.trial("ev1", "sim"));
        Plan plan = Plans.plan(multi, "sim");
        WorkflowClient.start(
                trial::run, new TrialInput("ev1", plan, "sim", h.now().plus(Duration.ofHours(10)), finished, 3, 4));
        return WorkflowStub.fromTyped(trial);
    }

    private static StageSummary done(Phase phase, int gpus, StageName stage, Verdict verdict) {
        Map<String, Verdict> metrics = new HashMap<>();
        if (stage == StageName.COMPUTE) {
            Gate.REQUIRED.forEach(m -> metrics.put(m, verdict));
        }
        return new StageSummary("earlier", phase, gpus, stage, verdict, "seen", metrics, List.of(), false);
    }

    private TrialOutcome run(Optional<MultiPhase> multi) {
        return start(multi).getResult(TrialOutcome.class);
    }

    private WorkflowStub start(Optional<MultiPhase> multi) {
        Plan plan = Plans.plan(multi, "sim");
        TrialWorkflow trial = h.stub(TrialWorkflow.class, Queues.CONTROL, WorkflowIds.trial("ev1", "sim"));
        WorkflowClient.start(trial::run, Plans.trial(plan, "sim", h.now()));
        return WorkflowStub.fromTyped(trial);
    }

    private static CreateResult refusal(ErrorKind kind) {
        return new CreateResult(
                CreateResult.Outcome.NOT_CREATED, Optional.empty(), Optional.of(kind), "no, says the vendor");
    }

    private void waitFor(String line) {
        await().atMost(Duration.ofSeconds(20)).until(() -> !world.told(line).isEmpty());
    }
}
