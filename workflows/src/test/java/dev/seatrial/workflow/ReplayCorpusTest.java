package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.OnFail;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.ErrorKind;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowStub;
import io.temporal.common.WorkflowExecutionHistory;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.testing.WorkflowReplayer;
import io.temporal.worker.Worker;
import io.temporal.workflow.Workflow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Evaluations that run while a new version is installed go on with it. So what earlier versions wrote must replay. When a
 * change of a workflow is meant to alter the order of its commands, guard it by {@code Workflow.getVersion} and add the
 * histories of the new order beside the old: {@code mvn test -Dtest=ReplayCorpusTest#writeTheCorpus -Dseatrial.excluded=none}.
 */
class ReplayCorpusTest {
    private static final Path CORPUS = Path.of("src/test/resources/histories");

    private final TestWorkflowEnvironment env = TestWorkflowEnvironment.newInstance(Harness.options());

    @AfterEach
    void close() {
        env.close();
    }

    static Stream<Path> histories() throws IOException {
        try (Stream<Path> files = Files.walk(CORPUS)) {
            return files.filter(p -> p.toString().endsWith(".json")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("histories")
    void whatEarlierVersionsWroteStillReplays(Path file) throws Exception {
        WorkflowReplayer.replayWorkflowExecutionFromResource(
                resource(file), worker(EvaluationWorkflowImpl.class, TrialWorkflowImpl.class, LeaseWorkflowImpl.class));
    }

    @Test
    void everyWorkflowIsInTheCorpus() throws IOException {
        assertThat(histories().map(p -> p.getParent().getFileName().toString()))
                .contains("EvaluationWorkflow", "TrialWorkflow", "LeaseWorkflow");
    }

    @Test
    void aChangedOrderOfCommandsIsNoticed() {
        Path file = CORPUS.resolve("LeaseWorkflow/held-and-released.json");

        assertThatThrownBy(() ->
                        WorkflowReplayer.replayWorkflowExecutionFromResource(resource(file), worker(SleepsFirst.class)))
                .hasStackTraceContaining("TMPRL1100");
    }

    /** A lease workflow with another first command. */
    public static class SleepsFirst extends LeaseWorkflowImpl {
        @Override
        public LeaseResult run(LeaseRequest request) {
            Workflow.sleep(Duration.ofSeconds(1));
            return super.run(request);
        }
    }

    @Test
    @Tag("writes-histories")
    void writeTheCorpus() {
        Map<String, Consumer<World>> trials = new LinkedHashMap<>();
        trials.put("through-the-ladder", w -> {});
        trials.put("whole-machine", w -> w.wholeMachine = 8);
        trials.put(
                "failed-baseline",
                w -> w.verdicts.put(
                        "single/compute",
                        new ArrayDeque<>(List.of(Verdict.FAIL, Verdict.FAIL, Verdict.FAIL, Verdict.FAIL))));
        trials.put("gate-shut", w -> w.verdicts.put("single/compute", new ArrayDeque<>(List.of(Verdict.UNKNOWN))));
        trials.put(
                "no-capacity-at-first",
                w -> w.creates.add(new CreateResult(
                        CreateResult.Outcome.NOT_CREATED,
                        Optional.empty(),
                        Optional.of(ErrorKind.NO_CAPACITY),
                        "sold out")));
        trials.put("never-ready", w -> w.neverReady = true);
        trials.put("stages-hang", w -> w.stagesHang = true);
        trials.put("machine-lost", w -> {
            w.stagesHang = true;
            w.hold = Duration.ofMinutes(7);
        });
        trials.forEach((name, script) -> {
            try (Harness each = new Harness()) {
                script.accept(each.world);
                Plan plan = Plans.plan(Plans.multi(false, 2, 8), "sim");
                finish(start(each, plan));
                write(each, WorkflowIds.trial("ev1", "sim"), name);
                if (name.equals("through-the-ladder")) {
                    write(each, leaseId(1), "held-and-released");
                }
                if (name.equals("never-ready")) {
                    write(each, leaseId(1), "never-ready");
                }
                if (name.equals("machine-lost")) {
                    write(each, leaseId(1), "deadline");
                }
                if (name.equals("no-capacity-at-first")) {
                    write(each, leaseId(1), "refused");
                }
            }
        });
        lostAnswer();
        approvalMissed();
        cancelledInAStage();
        evaluation();
        steered();
    }

    private static void steered() {
        try (Harness each = new Harness()) {
            each.world.verdicts.put("single/compute", new ArrayDeque<>(Collections.nCopies(4, Verdict.FAIL)));
            Plan plan = Plans.plan(Optional.empty(), "sim");
            finish(start(
                    each,
                    KeptForEvidenceTest.with(plan, new OnFail(Duration.ofMinutes(30), BigMoney.parse("CNY 20")))));
            assertThat(each.world.told("note KEPT")).hasSize(1);
            write(each, WorkflowIds.trial("ev1", "sim"), "kept-for-evidence");
        }
        try (Harness each = new Harness()) {
            each.faults.arm("sim", 8, call -> {
                trialStub(each).update("cancelTrial", Void.class, "tester");
                return call.get();
            });
            finish(start(each, Plans.plan(Plans.multi(false, 8), "sim")));
            write(each, WorkflowIds.trial("ev1", "sim"), "cancelled-by-update");
        }
        try (Harness each = new Harness()) {
            each.world.stageDone = run -> run.stage() != StageName.COMPUTE;
            each.faults.arm("sim", 12, call -> {
                trialStub(each).update("skipStage", Void.class, "compute");
                return call.get();
            });
            finish(start(each, Plans.plan(Optional.empty(), "sim")));
            assertThat(each.world.told("finish compute")).containsExactly("finish compute skipped");
            write(each, WorkflowIds.trial("ev1", "sim"), "stage-skipped");
        }
        try (Harness each = new Harness()) {
            each.faults.arm("a", 8, call -> {
                each.env
                        .getWorkflowClient()
                        .newUntypedWorkflowStub(WorkflowIds.evaluation("ev1"))
                        .update(
                                "raiseCap",
                                Void.class,
                                new CapRaise(Optional.of("a"), BigMoney.parse("CNY 200"), "tester"));
                return call.get();
            });
            runEvaluation(each, Plans.plan(Optional.empty(), "a", "b"), "a", "b");
            assertThat(each.world.told("cap")).hasSize(1);
            write(each, WorkflowIds.evaluation("ev1"), "cap-raised");
        }
    }

    private static WorkflowStub trialStub(Harness h) {
        return h.env.getWorkflowClient().newUntypedWorkflowStub(WorkflowIds.trial("ev1", "sim"));
    }

    private static void lostAnswer() {
        try (Harness each = new Harness()) {
            each.world.createLosesAnswer = true;
            finish(start(each, Plans.plan(Optional.empty(), "sim")));
            write(each, leaseId(1), "lost-answer-adopted");
        }
    }

    private static void approvalMissed() {
        try (Harness each = new Harness()) {
            finish(start(each, Plans.plan(Plans.multi(true, 8), "sim")));
            write(each, WorkflowIds.trial("ev1", "sim"), "approval-missed");
        }
    }

    private static void cancelledInAStage() {
        try (Harness each = new Harness()) {
            WorkflowStub[] trial = new WorkflowStub[1];
            each.faults.arm("sim", 8, call -> {
                trial[0].cancel();
                return call.get();
            });
            trial[0] = start(each, Plans.plan(Optional.empty(), "sim"));
            finish(trial[0]);
            write(each, WorkflowIds.trial("ev1", "sim"), "cancelled-in-a-stage");
            write(each, leaseId(1), "released-by-a-cancelled-trial");
        }
    }

    private static void evaluation() {
        try (Harness each = new Harness()) {
            each.world.multiOnlyAfterSingles = 2;
            runEvaluation(each, Plans.plan(Plans.multi(false, 8), "a", "b"), "a", "b");
            write(each, WorkflowIds.evaluation("ev1"), "two-candidates");
            write(each, WorkflowIds.trial("ev1", "a"), "money-kept-for-others");
        }
    }

    private static void runEvaluation(Harness h, Plan plan, String... candidates) {
        h.stub(EvaluationWorkflow.class, Queues.CONTROL, WorkflowIds.evaluation("ev1"))
                .run(new EvaluationInput(
                        "ev1",
                        plan,
                        h.now().plus(Duration.ofHours(10)),
                        Stream.of(candidates)
                                .map(c -> Plans.trial(plan, c, h.now()))
                                .toList()));
    }

    private Worker worker(Class<?>... workflows) {
        Worker worker = env.newWorker("replay", Harness.PATIENT);
        worker.registerWorkflowImplementationTypes(workflows);
        return worker;
    }

    private static String leaseId(int ordinal) {
        return WorkflowIds.lease(new LeaseKey("ev1", "sim", Phase.SINGLE, ordinal));
    }

    private static WorkflowStub start(Harness h, Plan plan) {
        TrialWorkflow trial = h.stub(TrialWorkflow.class, Queues.CONTROL, WorkflowIds.trial("ev1", "sim"));
        WorkflowStub stub = WorkflowStub.fromTyped(trial);
        WorkflowClient.start(trial::run, Plans.trial(plan, "sim", h.now()));
        return stub;
    }

    private static void finish(WorkflowStub trial) {
        try {
            trial.getResult(TrialOutcome.class);
        } catch (WorkflowException cancelled) {
            assertThat(cancelled).hasMessageContaining("was cancelled");
        }
    }

    private static String resource(Path file) {
        return CORPUS.getParent().relativize(file).toString().replace('\\', '/');
    }

    private static void write(Harness h, String workflow, String name) {
        WorkflowExecutionHistory history = h.env.getWorkflowClient().fetchHistory(workflow);
        String type = history.getHistory()
                .getEvents(0)
                .getWorkflowExecutionStartedEventAttributes()
                .getWorkflowType()
                .getName();
        Path file = CORPUS.resolve(type).resolve(name + ".json");
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, history.toJson(false) + "\n", StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
