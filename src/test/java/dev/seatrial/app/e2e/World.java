package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.bench.DefaultJudge;
import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.bench.StageTrialJudge;
import dev.seatrial.app.engine.Engine;
import dev.seatrial.app.engine.EvaluationActivitiesImpl;
import dev.seatrial.app.engine.SideBySide;
import dev.seatrial.app.engine.SkippedEngine;
import dev.seatrial.app.engine.TrialActivitiesImpl;
import dev.seatrial.app.lease.Accounts;
import dev.seatrial.app.lease.LeaseActivitiesImpl;
import dev.seatrial.app.lease.Releaser;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.app.plan.PlanException;
import dev.seatrial.app.plan.PlanJson;
import dev.seatrial.app.plan.YamlPlanLoader;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.app.remote.FileLeaseKeys;
import dev.seatrial.app.remote.HandedOver;
import dev.seatrial.app.remote.HandedOverCleaner;
import dev.seatrial.app.remote.Machines;
import dev.seatrial.app.remote.SshProbe;
import dev.seatrial.app.remote.StageActivitiesImpl;
import dev.seatrial.app.service.DefaultEvaluationService;
import dev.seatrial.app.sweep.Everything;
import dev.seatrial.app.sweep.Sweep;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.simulator.MeterReading;
import dev.seatrial.simulator.MeterReading.MeteredInstance;
import dev.seatrial.simulator.Profile;
import dev.seatrial.simulator.Profiles;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.vendors.http.HttpSettings;
import dev.seatrial.vendors.sim.SimProvider;
import dev.seatrial.workflow.CreateResult;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.LeaseWorkflow;
import dev.seatrial.workflow.Queues;
import dev.seatrial.workflow.StageActivities;
import dev.seatrial.workflow.WorkflowIds;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.client.WorkflowFailedException;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.WorkerFactoryOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.joda.money.BigMoney;

/**
 * The whole product but its commands, on skipped time: real workflows, activities, ledger, HTTP and SSH, simulated vendors
 * on the engine's clock. The vendors' meters are the judge, since nothing here can change what they count.
 */
final class World implements AutoCloseable {
    static final String OWNER = "embedded:test";
    private static final int MOST_STEPS = 2_000;
    /** How late, on the product's own account, an instance may be seen gone, on a busy computer. */
    private static final Duration SEEN_LATE = Duration.ofSeconds(45);

    final Ledger ledger;
    final InstantSource clock;
    final DefaultEvaluationService service;
    private final TestWorkflowEnvironment engine;
    private final Path home;
    private final FileLeaseKeys keys;
    private final Machines machines;
    private final Vendors vendors = new Vendors();
    private final Accounts accounts;
    private final Releaser releaser;
    private final StageActivitiesImpl stages;
    private final LeaseActivitiesImpl leases;
    private int files;

    World(Path home) {
        this(home, stages -> stages);
    }

    /** @param around what stands between the workflows and the stages, e.g. to make them misbehave */
    World(Path home, UnaryOperator<StageActivities> around) {
        this.home = home;
        engine = TestWorkflowEnvironment.newInstance(TestEnvironmentOptions.newBuilder()
                .setWorkflowClientOptions(WorkflowClientOptions.newBuilder()
                        .setDataConverter(Engine.dataConverter())
                        .build())
                .setWorkerFactoryOptions(WorkerFactoryOptions.newBuilder()
                        .setWorkflowCacheSize(0)
                        .build())
                .build());
        clock = () -> Instant.ofEpochMilli(engine.currentTimeMillis());
        ledger = SqlLedger.open(home.resolve("ledger.db"), clock);
        keys = new FileLeaseKeys(home.resolve("keys"));
        machines = new Machines(keys, provider -> Optional.empty());
        HandedOverCleaner cleaner = new HandedOverCleaner(machines, new HandedOver(home.resolve("handed-over")));
        DefaultJudge judge = DefaultJudge.load();
        accounts = new Accounts(vendors, clock);
        releaser = new Releaser(ledger, accounts, keys, cleaner::tryClean, clock);
        stages = new StageActivitiesImpl(ledger, machines, judge, this::plan, cleaner, clock, home.resolve("tmp"));
        leases = new LeaseActivitiesImpl(
                ledger, accounts, keys, new SshProbe(machines), releaser, this::plan, OWNER, clock);
        Engine workers = SkippedEngine.on(
                engine,
                new Engine.Activities(
                        leases,
                        around.apply(stages),
                        new TrialActivitiesImpl(ledger, vendors, this::plan, new StageTrialJudge(judge), clock),
                        new EvaluationActivitiesImpl(
                                ledger,
                                new SideBySide(ledger, this::plan, judge.peers(), new StageTrialJudge(judge)),
                                clock,
                                evaluation -> {})));
        service = new DefaultEvaluationService(ledger, vendors, () -> workers, judge, OWNER, clock);
    }

    /** A simulated vendor. @param profile what differs from a healthy one, in the form of a profile file */
    World vendor(String name, String profile) {
        vendors.add(name, Profiles.parse(profile, name));
        return this;
    }

    Simulator simulator(String name) {
        return Optional.ofNullable(vendors.simulators.get(new ProviderId(name))).orElseThrow();
    }

    MeterReading meter(String name) {
        return simulator(name).meter();
    }

    Plan plan(String evaluation) {
        return PlanJson.read(ledger.evaluation(evaluation).orElseThrow().planJson());
    }

    Plan read(String yaml) {
        try {
            Path file = Files.writeString(home.resolve("plan-" + ++files + ".yaml"), yaml);
            return new YamlPlanLoader(clock, ZoneOffset.UTC, GpuCatalogue.load(), Locale.ENGLISH).load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (PlanException e) {
            throw new IllegalArgumentException(e.errors().toString(), e);
        }
    }

    /** Starts every candidate of the plan. @return the evaluation's id */
    String start(Plan plan) {
        return service.start(
                plan, plan.candidates().stream().map(Candidate::name).toList(), List.of(), "test", Optional.empty());
    }

    /** An evaluation that nothing runs yet. @return its id */
    String open(String yaml) {
        Plan plan = read(yaml);
        String id = "opened" + ++files;
        ledger.openEvaluation(
                new EvaluationRow(
                        id,
                        plan.name(),
                        plan.hash(),
                        PlanJson.write(plan),
                        EvaluationStatus.RUNNING,
                        true,
                        OWNER,
                        clock.instant(),
                        Optional.empty(),
                        ""),
                plan,
                plan.candidates().stream().map(c -> waiting(id, c)).toList());
        return id;
    }

    private static TrialRow waiting(String evaluation, Candidate c) {
        return new TrialRow(
                evaluation,
                c.name(),
                c.provider().value(),
                0,
                true,
                "waiting",
                "",
                "",
                false,
                0,
                Optional.empty(),
                "",
                Optional.empty(),
                Coverage.NOTHING);
    }

    /** Runs a lease that has no parent to its end. */
    void lease(LeaseRequest request) {
        engine.getWorkflowClient()
                .newWorkflowStub(
                        LeaseWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.lease(request.key()))
                                .setTaskQueue(Queues.RELEASE)
                                .build())
                .run(request);
    }

    /** Does something between a lease's row being committed and its create. */
    void beforeCreate(Runnable action) {
        vendors.beforeCreate = Optional.of(action);
    }

    /** Makes an instance behind everyone's back. */
    void rent(String provider, LeaseName name) {
        Provider vendor = provider(provider);
        PublicKey key = new PublicKey("ssh-ed25519 AAAA " + name.text());
        vendor.create(new CreateRequest(
                name,
                name.lease(),
                new OfferId("a100-x1"),
                Optional.empty(),
                vendor.ensureSshKey(name, key),
                key,
                Optional.empty(),
                name.deadline()));
    }

    Instant inAnHour() {
        return clock.instant().plus(Duration.ofHours(1));
    }

    /** What gives everything back by names alone. */
    Everything everything() {
        return new Everything(vendors, accounts, ledger.installation(), clock.instant(), clock);
    }

    /** Grants and creates as a lease's workflow does, which then is no more. */
    LeaseRow createAndForget(LeaseRequest request) {
        LeaseHandle lease = leases.open(request).handle().orElseThrow();
        assertThat(leases.create(lease, request).outcome()).isEqualTo(CreateResult.Outcome.CREATED);
        return ledger.lease(lease.lease()).orElseThrow();
    }

    Provider provider(String name) {
        return vendors.get(new ProviderId(name));
    }

    /** Runs a plan to its end. @return the evaluation's id */
    String run(String yaml) {
        String evaluation = start(read(yaml));
        end(WorkflowIds.evaluation(evaluation));
        return evaluation;
    }

    /** Skips to the end of a workflow, whatever end that is. */
    void end(String workflow) {
        try {
            engine.getWorkflowClient().newUntypedWorkflowStub(workflow).getResult(Object.class);
        } catch (WorkflowFailedException e) {
            // A test that spoils a workflow looks at what that has left in the ledger.
            assertThat(e.getWorkflowCloseEventType()).isNotNull();
        }
    }

    void terminate(String workflow) {
        engine.getWorkflowClient().newUntypedWorkflowStub(workflow).terminate("a test");
    }

    /** Lets skipped time pass until something is so. */
    void until(String what, Duration step, BooleanSupplier condition) {
        for (int i = 0; i < MOST_STEPS; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            pass(step);
        }
        throw new AssertionError("never so: " + what);
    }

    void pass(Duration time) {
        engine.sleep(time);
    }

    /** Lets time pass until a lease of the phase is ready. */
    LeaseRow ready(String evaluation) {
        until("a lease is ready", Duration.ofMillis(500), () -> ledger.leases(evaluation).stream()
                .anyMatch(l -> l.state() == LeaseState.READY));
        return ledger.leases(evaluation).stream()
                .filter(l -> l.state() == LeaseState.READY)
                .findFirst()
                .orElseThrow();
    }

    Sweep sweep() {
        return new Sweep(vendors, accounts, Optional.of(ledger), Optional.of(releaser), clock);
    }

    /** A sweep round as the service's timer would do it. */
    void sweepOnce() {
        sweep().round(Set.of(), false);
    }

    TrialRow trial(String evaluation, String candidate) {
        return ledger.trials(evaluation).stream()
                .filter(t -> t.candidate().equals(candidate))
                .findFirst()
                .orElseThrow();
    }

    List<LeaseRow> leases(String evaluation, String candidate) {
        return ledger.leases(evaluation).stream()
                .filter(l -> l.key().candidate().equals(candidate))
                .toList();
    }

    /**
     * What must be so after every evaluation, whatever happened in it: nothing runs, every instance that ever was belongs to
     * a lease that ended RELEASED, no reservation was below the bill, what we say was spent is the bill rounded up, and all
     * of it is within the cap.
     */
    void assertNothingLost(String evaluation) {
        Plan plan = plan(evaluation);
        List<LeaseRow> leases = ledger.leases(evaluation);
        assertThat(leases).allSatisfy(l -> assertThat(l.state().terminal())
                .as("lease " + l.key() + " is " + l.state())
                .isTrue());
        BigMoney spent = BigMoney.zero(plan.budget().currency());
        int created = 0;
        for (Simulator simulator : vendors.simulators.values()) {
            MeterReading meter = simulator.meter();
            assertThat(meter.running()).as("still billing").isEmpty();
            created += meter.created();
            for (MeteredInstance instance : meter.instances()) {
                LeaseRow lease = leases.stream()
                        .filter(l -> l.name().text().equals(instance.name()))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no lease for " + instance));
                assertBill(plan, lease, instance);
                spent = spent.plus(lease.costInPlan().orElseThrow());
            }
        }
        assertThat(leases.stream().filter(l -> l.state() == LeaseState.RELEASED))
                .as("one lease that ended RELEASED for every instance that ever was")
                .hasSize(created);
        assertThat(ledger.spend(evaluation).reserved().isZero()).as("reserved").isTrue();
        assertThat(ledger.spend(evaluation).overrun().isZero()).as("overrun").isTrue();
        assertThat(ledger.spend(evaluation).spent()).isEqualByComparingTo(spent);
        assertThat(spent).as("spent of cap").isLessThanOrEqualTo(plan.budget().cap());
    }

    private static void assertBill(Plan plan, LeaseRow lease, MeteredInstance instance) {
        BigMoney billed = plan.budget().convertUp(instance.billed());
        assertThat(lease.state()).as(lease.key().toString()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease.reservedInPlan())
                .as("reserved for " + lease.key() + " against the bill")
                .isGreaterThanOrEqualTo(billed);
        BigMoney cost = lease.costInPlan().orElseThrow();
        Duration late = SEEN_LATE.plus(lease.pricing().increment().step());
        BigMoney most = plan.budget()
                .convertUp(lease.pricing()
                        .totalHourly()
                        .multipliedBy(BigDecimal.valueOf(late.toMillis())
                                .divide(BigDecimal.valueOf(3_600_000), 6, RoundingMode.CEILING)));
        assertThat(cost).as("cost of " + lease.key()).isBetween(billed, billed.plus(most));
        assertThat(lease.releasedAt().orElseThrow())
                .as("said to be gone no earlier than it was")
                .isAfterOrEqualTo(instance.to().orElseThrow());
    }

    /** Whether a workflow has ended, however. */
    boolean ended(String workflow) {
        return engine.getWorkflowClient()
                        .newUntypedWorkflowStub(workflow)
                        .describe()
                        .getStatus()
                != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
    }

    @Override
    public void close() {
        service.close();
        engine.close();
        stages.close();
        machines.close();
        vendors.close();
        ledger.close();
    }

    /** Simulated vendors by name. */
    private final class Vendors implements Providers {
        private final Map<ProviderId, Simulator> simulators = new LinkedHashMap<>();
        private final Map<ProviderId, SimProvider> adapters = new LinkedHashMap<>();
        private Optional<Runnable> beforeCreate = Optional.empty();

        void add(String name, Profile profile) {
            ProviderId id = new ProviderId(name);
            Simulator simulator = Simulator.start(SimulatorOptions.of("steady")
                    .withProfile(profile)
                    .withClock(clock)
                    .withTemporary(home));
            Clock ours = clock.withZone(ZoneOffset.UTC);
            simulators.put(id, simulator);
            adapters.put(
                    id,
                    new SimProvider(
                            id,
                            HttpSettings.bearer(name, simulator.baseUri(), SimulatorOptions.DEFAULT_KEY)
                                    .with(HttpSettings.Limits.LOOPBACK)
                                    .with(ours),
                            Optional.empty()));
        }

        @Override
        public List<ProviderId> names() {
            return new ArrayList<>(adapters.keySet());
        }

        @Override
        public Provider get(ProviderId id) {
            Provider adapter = Optional.ofNullable(adapters.get(id))
                    .orElseThrow(() -> new ConfigException("no account is called " + id));
            return beforeCreate.isEmpty()
                    ? adapter
                    : (Provider) Proxy.newProxyInstance(
                            Provider.class.getClassLoader(), new Class<?>[] {Provider.class}, (p, method, args) -> {
                                if (method.getName().equals("ensureSshKey")) {
                                    beforeCreate.get().run();
                                }
                                return method.invoke(adapter, args);
                            });
        }

        @Override
        public String kind(ProviderId id) {
            return "sim";
        }

        void close() {
            adapters.values().forEach(SimProvider::close);
            simulators.values().forEach(Simulator::close);
        }
    }
}
