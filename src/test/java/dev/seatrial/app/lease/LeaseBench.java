package dev.seatrial.app.lease;

import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.app.plan.PlanJson;
import dev.seatrial.app.remote.LeaseKeys;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseOpening;
import dev.seatrial.workflow.LeaseRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.joda.money.BigMoney;

/** A real ledger with an evaluation in it, a scripted vendor, and a clock that only the test moves. */
public final class LeaseBench implements AutoCloseable {
    public static final String EVALUATION = "evalabc123";
    public static final String OWNER = "embedded:dead";

    private static final Instant START = Instant.parse("2026-11-30T12:00:00Z");

    public final ScriptedVendor vendor = new ScriptedVendor();
    public final Ledger ledger;
    public final Accounts accounts;
    public final Releaser releaser;
    final LeaseActivitiesImpl activities;
    final List<String> forgotten = new ArrayList<>();
    Optional<String> leftOnMachine = Optional.empty();
    Optional<String> probe = Optional.empty();

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final Plan plan = plan();
    private int ordinal;

    public LeaseBench(Path home) {
        ledger = SqlLedger.open(home.resolve("ledger.db"), clock());
        accounts = new Accounts(vendor.asProviders(), clock());
        releaser = releaser(ledger);
        activities = activities(ledger);
        ledger.openEvaluation(
                new EvaluationRow(
                        EVALUATION,
                        plan.name(),
                        plan.hash(),
                        PlanJson.write(plan),
                        EvaluationStatus.RUNNING,
                        true,
                        OWNER,
                        START,
                        Optional.empty(),
                        ""),
                plan,
                List.of(new TrialRow(
                        EVALUATION,
                        "vendor",
                        "vendor",
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
                        Coverage.NOTHING)));
    }

    public InstantSource clock() {
        return now::get;
    }

    /** Lets time pass. */
    public void pass(Duration time) {
        now.updateAndGet(n -> n.plus(time));
    }

    public Instant now() {
        return now.get();
    }

    /** Another process's releaser over whatever ledger it can see. */
    Releaser releaser(Ledger seen) {
        return new Releaser(seen, accounts, keys(), lease -> leftOnMachine, clock());
    }

    /** Another process's activities over the same ledger. */
    LeaseActivitiesImpl activities(Ledger seen) {
        return new LeaseActivitiesImpl(
                seen,
                accounts,
                keys(),
                (provider, lease, endpoint) -> probe,
                releaser(seen),
                evaluation -> plan,
                OWNER,
                clock());
    }

    private LeaseKeys keys() {
        return new LeaseKeys() {
            @Override
            public PublicKey publicKey(String lease) {
                return new PublicKey("ecdsa-sha2-nistp256 AAAA " + lease);
            }

            @Override
            public void forget(String lease) {
                forgotten.add(lease);
            }
        };
    }

    public LeaseRequest request() {
        return new LeaseRequest(
                new LeaseKey(EVALUATION, "vendor", Phase.SINGLE, ++ordinal),
                new Offer(
                        new OfferId("offer"),
                        ScriptedVendor.ID,
                        "r1",
                        "A100-SXM4-80G",
                        "A100",
                        1,
                        Pricing.of(BigMoney.parse("CNY 36.00"), BillingIncrement.SECOND, Duration.ZERO),
                        "",
                        "",
                        Availability.YES),
                1,
                Optional.empty(),
                Duration.ofMinutes(5),
                Duration.ofMinutes(10),
                START.plus(Duration.ofHours(10)));
    }

    /** A granted lease for which nothing was sent. */
    public LeaseRow intended() {
        LeaseOpening opening = activities.open(request());
        return row(opening.handle().orElseThrow().lease());
    }

    /** A lease that has gone through these states, with instance {@code i-1} from PROVISIONING on. */
    public LeaseRow lease(LeaseState... through) {
        LeaseRow row = intended();
        for (LeaseState state : through) {
            LeaseChange change = state == LeaseState.CREATING
                    ? LeaseChange.NONE.withSentAt(now())
                    : state == LeaseState.PROVISIONING
                            ? LeaseChange.NONE.withInstance(
                                    vendor.add("i-1", row.name().text()))
                            : LeaseChange.NONE;
            row = ledger.move(row.id(), row.fence(), state, change, "test", now())
                    .orElseThrow();
        }
        return row;
    }

    /** A lease in use on instance {@code i-1}, long after its creation. */
    public LeaseRow ready() {
        LeaseRow row = lease(LeaseState.CREATING, LeaseState.PROVISIONING, LeaseState.READY);
        pass(Duration.ofMinutes(1));
        return row;
    }

    public LeaseRow row(String id) {
        return ledger.lease(id).orElseThrow();
    }

    LeaseHandle handle(LeaseRow row) {
        return LeaseActivitiesImpl.handle(row);
    }

    ReleaseStep step(LeaseRow row) {
        return releaser.step(handle(row), "test");
    }

    /** Steps, each after the time that the one before asked for, until gone. @return how long it took */
    Duration untilGone(LeaseRow row) {
        Instant begin = now();
        for (int i = 0; i < 500; i++) {
            ReleaseStep step = step(row);
            if (step instanceof ReleaseStep.NotYetGone later) {
                pass(later.after());
            } else {
                return Duration.between(begin, now());
            }
        }
        throw new AssertionError("never gone");
    }

    public List<String> events(LeaseRow row) {
        return ledger.leaseEvents(row.id()).stream().map(e -> e.type()).toList();
    }

    static InstantSource fixed(Instant at) {
        return () -> at;
    }

    static InstanceId id(String text) {
        return new InstanceId(text);
    }

    private static Plan plan() {
        return new Plan(
                "plan",
                "0f".repeat(32),
                "quick",
                new Budget(BigMoney.parse("CNY 1000.00"), Map.of()),
                List.of(new Candidate(
                        "vendor",
                        ScriptedVendor.ID,
                        Optional.empty(),
                        "A100-SXM4-80G",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of(),
                        Optional.empty())),
                Arrays.asList(StageName.ENVIRONMENT, StageName.COMPUTE),
                Optional.empty(),
                Duration.ofHours(1),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                new Limits(Duration.ofMinutes(5), Duration.ofHours(10), Optional.empty(), Map.of(), Optional.empty()),
                Set.of(),
                Duration.ofHours(1));
    }

    @Override
    public void close() {
        ledger.close();
    }
}
