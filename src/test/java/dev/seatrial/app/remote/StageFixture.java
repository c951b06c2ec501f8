package dev.seatrial.app.remote;

import dev.seatrial.app.bench.Judge;
import dev.seatrial.app.bench.StageEvidence;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.SshEndpoint;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.StageRun;
import dev.seatrial.workflow.StageTarget;
import io.temporal.failure.ApplicationFailure;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** A granted lease in a real ledger, and the stage activities on it, driven as the workflow drives them. */
final class StageFixture implements AutoCloseable {
    static final String EVALUATION = "evalabc123";
    private static final CurrencyUnit CNY = CurrencyUnit.of("CNY");

    final Ledger ledger;
    final FileLeaseKeys keys;
    final Machines machines;
    final HandedOver records;
    final StageActivitiesImpl activities;
    final LeaseRow lease;
    final StageTarget target;
    /** Evidence of the last judgement. */
    Optional<StageEvidence> judged = Optional.empty();

    private final Path home;
    private Optional<Target> handedOver = Optional.empty();
    private Plan plan = plan(Optional.empty());

    /** @param provider the candidate's and provider's name @param endpoint of a rented machine */
    StageFixture(Path home, String provider, Optional<Target> handedOver, Optional<Integer> port) {
        this.home = home;
        this.handedOver = handedOver;
        ledger = SqlLedger.open(home.resolve("ledger.db"), InstantSource.system());
        keys = new FileLeaseKeys(home.resolve("keys"));
        machines = new Machines(keys, name -> this.handedOver);
        records = new HandedOver(home.resolve("handed-over"));
        lease = grant(provider, handedOver.isPresent());
        LeaseHandle handle = new LeaseHandle(
                lease.id(),
                provider,
                lease.name().text(),
                Optional.of("i-1"),
                port.map(p -> new SshEndpoint("127.0.0.1", p, HostServer.USER)));
        target = new StageTarget(EVALUATION, "box", Phase.SINGLE, 0, handle);
        activities = activities();
    }

    /** Another process's activities over the same ledger and machine. */
    StageActivitiesImpl activities() {
        return new StageActivitiesImpl(
                ledger,
                machines,
                new Remembering(),
                evaluation -> plan,
                new HandedOverCleaner(machines, records),
                InstantSource.system(),
                home.resolve("tmp"));
    }

    void task(TaskSpec task) {
        plan = plan(Optional.of(task));
    }

    StageRun run(StageName stage, Duration limit) {
        return new StageRun(lease.id() + "-s0-" + stage.word() + "-1", target, stage, 1, limit);
    }

    /** What the workflow's retries do, with a limit. */
    void await(StageRun run) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> once(run).isEmpty());
    }

    /** One attempt of waiting. @return why not yet */
    Optional<ApplicationFailure> once(StageRun run) {
        try {
            activities.await(run);
            return Optional.empty();
        } catch (ApplicationFailure e) {
            if (e.getType().equals(NotYet.FINAL)) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    StageRunRow row(StageRun run) {
        return ledger.stageRun(run.id()).orElseThrow();
    }

    List<String> events(StageRun run) {
        return ledger.stageEvents(run.id()).stream().map(StoredEvent::json).toList();
    }

    private LeaseRow grant(String provider, boolean borrowed) {
        Instant now = Instant.parse("2026-11-30T12:00:00Z");
        ledger.openEvaluation(
                new EvaluationRow(
                        EVALUATION,
                        "plan",
                        "0f".repeat(32),
                        "{}",
                        EvaluationStatus.RUNNING,
                        false,
                        "embedded:o",
                        now,
                        Optional.empty(),
                        ""),
                plan,
                List.of(new TrialRow(
                        EVALUATION,
                        "box",
                        provider,
                        0,
                        false,
                        "waiting",
                        "",
                        "",
                        false,
                        0,
                        Optional.empty(),
                        "",
                        Optional.empty(),
                        Coverage.NOTHING)));
        Offer offer = new Offer(
                new OfferId("offer"),
                new ProviderId(provider),
                "-",
                "none",
                "none",
                0,
                Pricing.of(BigMoney.of(CNY, 1), BillingIncrement.SECOND, Duration.ZERO),
                "",
                "",
                Availability.YES);
        LeaseTiming timing =
                new LeaseTiming(now, now.plusSeconds(3600), now.plusSeconds(3700), BigMoney.of(CNY, BigDecimal.ONE));
        Grant grant = ledger.reserve(
                new LeaseIntent(
                        new LeaseKey(EVALUATION, "box", Phase.SINGLE, 1),
                        offer,
                        0,
                        timing,
                        BigMoney.of(CNY, BigDecimal.ONE),
                        "1",
                        borrowed),
                "embedded:o");
        return ((Grant.Granted) grant).lease();
    }

    private static Plan plan(Optional<TaskSpec> task) {
        return new Plan(
                "plan",
                "0f".repeat(32),
                "quick",
                new Budget(BigMoney.of(CNY, 100), Map.of()),
                List.of(new Candidate(
                        "box",
                        new ProviderId("box"),
                        Optional.empty(),
                        Candidate.NO_GPU,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of(),
                        Optional.empty())),
                List.of(StageName.ENVIRONMENT, StageName.TASK),
                Optional.empty(),
                Duration.ofHours(1),
                task,
                List.of(),
                Optional.empty(),
                new Limits(Duration.ofMinutes(5), Duration.ofHours(1), Optional.empty(), Map.of(), Optional.empty()),
                Set.of(),
                Duration.ofHours(1));
    }

    @Override
    public void close() {
        activities.close();
        machines.close();
        ledger.close();
    }

    private final class Remembering implements Judge {
        @Override
        public StageResult judge(StageEvidence evidence) {
            judged = Optional.of(evidence);
            StageRunRow r = evidence.run();
            return new StageResult(
                    r.id(),
                    r.phase(),
                    r.gpus(),
                    r.stage(),
                    r.lease(),
                    r.attempt(),
                    Verdict.UNKNOWN,
                    "ended " + r.end(),
                    r.startedAt(),
                    r.endedAt(),
                    List.of(),
                    List.of());
        }

        @Override
        public StageSummary summary(StageResult r) {
            return new StageSummary(
                    r.stageRun(), r.phase(), r.gpus(), r.stage(), r.verdict(), r.reason(), Map.of(), List.of(), false);
        }
    }
}
