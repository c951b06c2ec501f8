package dev.seatrial.app.ledger;

import static dev.seatrial.app.ledger.Samples.EVALUATION;
import static dev.seatrial.app.ledger.Samples.NOW;
import static dev.seatrial.app.ledger.Samples.OWNER;
import static dev.seatrial.app.ledger.Samples.cny;
import static dev.seatrial.app.ledger.Samples.granted;
import static dev.seatrial.app.ledger.Samples.intent;
import static dev.seatrial.app.ledger.Samples.key;
import static dev.seatrial.app.ledger.Samples.stageRun;
import static dev.seatrial.app.ledger.Samples.trial;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.Spend;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.SshEndpoint;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What every ledger must do, whatever database it is on. */
@Timeout(120)
abstract class LedgerContract {
    private final List<Ledger> opened = new ArrayList<>();
    protected Ledger ledger;

    /** Opens one more ledger on the same store, which is fresh for each test. */
    protected abstract Ledger openStore();

    @BeforeEach
    void openFirst() {
        ledger = another();
    }

    @AfterEach
    void closeAll() {
        opened.forEach(Ledger::close);
    }

    protected final Ledger another() {
        Ledger one = openStore();
        opened.add(one);
        return one;
    }

    // ---- evaluations and trials

    @Test
    void anEvaluationIsRecordedOnceWithItsTrials() {
        Samples.evaluation("20").with("steady", "5").with("flaky", "4").in(ledger);
        ledger.trial(trial(EVALUATION, "steady", 0, true, 5_000_000));

        Samples.evaluation("999").with("steady", "5").with("flaky", "4").in(ledger);

        assertThat(ledger.evaluation(EVALUATION)).contains(Samples.row(EVALUATION));
        assertThat(ledger.cap(EVALUATION)).isEqualTo(cny("20"));
        assertThat(ledger.trials(EVALUATION))
                .containsExactly(
                        trial(EVALUATION, "steady", 0, true, 5_000_000),
                        trial(EVALUATION, "flaky", 1, false, 4_000_000));
        assertThat(ledger.evaluation("unknown")).isEmpty();
        assertThat(ledger.trials("unknown")).isEmpty();
    }

    @Test
    void newestEvaluationsComeFirst() {
        for (int i = 0; i < 5; i++) {
            Samples.evaluation("20").named("eval" + i).with("steady", "5").in(ledger);
        }
        EvaluationRow late = new EvaluationRow(
                "late",
                "p",
                "h",
                "{}",
                EvaluationStatus.RUNNING,
                false,
                OWNER,
                NOW.plusSeconds(1),
                Optional.empty(),
                "");
        ledger.openEvaluation(late, Samples.plan("1", List.of()), List.of());

        assertThat(ledger.evaluations(3)).hasSize(3).first().isEqualTo(late);
    }

    @Test
    void anEndedEvaluationStaysEndedExceptThatAnInterruptedOneMayRunAgain() {
        Samples.evaluation("20").with("steady", "5").in(ledger);
        Instant end = NOW.plusSeconds(60);

        ledger.evaluationStatus(EVALUATION, EvaluationStatus.AWAITING_APPROVAL, "", NOW);
        assertThat(status()).isEqualTo(EvaluationStatus.AWAITING_APPROVAL);
        ledger.evaluationStatus(EVALUATION, EvaluationStatus.INTERRUPTED, "owner died", end);
        assertThat(ledger.evaluation(EVALUATION).orElseThrow().endedAt()).contains(end);
        ledger.evaluationStatus(EVALUATION, EvaluationStatus.COMPLETED, "", end);
        assertThat(status()).isEqualTo(EvaluationStatus.INTERRUPTED);

        ledger.evaluationStatus(EVALUATION, EvaluationStatus.RUNNING, "", end.plusSeconds(1));
        assertThat(ledger.evaluation(EVALUATION).orElseThrow().endedAt()).isEmpty();
        ledger.evaluationOwner(EVALUATION, "embedded:owner2");
        ledger.evaluationStatus(EVALUATION, EvaluationStatus.COMPLETED, "all told", end.plusSeconds(2));
        ledger.evaluationStatus(EVALUATION, EvaluationStatus.RUNNING, "", end.plusSeconds(3));
        ledger.evaluationStatus(EVALUATION, EvaluationStatus.CANCELLED, "too late", end.plusSeconds(3));

        EvaluationRow row = ledger.evaluation(EVALUATION).orElseThrow();
        assertThat(row.status()).isEqualTo(EvaluationStatus.COMPLETED);
        assertThat(row.note()).isEqualTo("all told");
        assertThat(row.owner()).isEqualTo("embedded:owner2");
        assertThat(row.endedAt()).contains(end.plusSeconds(2));
        assertInvalid(() -> ledger.evaluationStatus("nobody", EvaluationStatus.RUNNING, "", NOW));
        assertInvalid(() -> ledger.evaluationOwner("nobody", OWNER));
    }

    @Test
    void aTrialIsReplacedButKeepsItsCap() {
        Samples.evaluation("20").with("steady", "5", "6").in(ledger);
        TrialRow done = new TrialRow(
                EVALUATION,
                "steady",
                "steady",
                0,
                true,
                "done",
                "multi",
                "stability",
                true,
                5_000_000,
                Optional.of(Verdict.PASS),
                "BF16 sustained 263 of 265 = 99 %",
                Optional.of("budget"),
                new Coverage(CoverageLevel.EXCLUDED, CoverageLevel.FOUND, CoverageLevel.NOT_TESTED));

        ledger.trial(done);

        assertThat(ledger.trials(EVALUATION)).containsExactly(done);
        assertThat(ledger.reserve(intent(key("steady", Phase.SINGLE, 1), "6.000001"), OWNER))
                .isEqualTo(new Grant.Refused("candidate", cny("0.000001")));
        assertInvalid(() -> ledger.trial(trial(EVALUATION, "stranger", 3, false, 0)));
    }

    // ---- money

    @Test
    void aGrantHoldsAllThatIsNeededToRentAndToFindAgain() {
        Samples.evaluation("20").with("steady", "5").in(ledger);

        LeaseRow lease = granted(ledger, "steady", Phase.SINGLE, 1, "4.5");

        assertThat(lease.id()).matches("[a-z0-9]{10,16}");
        assertThat(lease.state()).isEqualTo(LeaseState.INTENDED);
        assertThat(lease.fence()).isEqualTo(1);
        assertThat(lease.name()).isEqualTo(new LeaseName(ledger.installation(), lease.id(), NOW.plusSeconds(3600)));
        assertThat(lease.name().text()).hasSizeLessThanOrEqualTo(60);
        assertThat(lease.token()).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        assertThat(lease.pricing()).isEqualTo(Samples.offer("steady").pricing());
        assertThat(lease.timing()).isEqualTo(intent(lease.key(), "4.5").timing());
        assertThat(lease.reservedInPlan()).isEqualTo(cny("4.5"));
        assertThat(lease.owner()).isEqualTo(OWNER);
        assertThat(ledger.lease(lease.id())).contains(lease);
        assertThat(ledger.leases(EVALUATION)).containsExactly(lease);
        assertThat(ledger.openLeases()).containsExactly(lease);
        assertThat(ledger.leasesByName()).containsExactly(Map.entry(lease.name().text(), lease));
        assertThat(ledger.leaseEvents(lease.id())).extracting(LeaseEvent::type).containsExactly("intended");
        assertThat(ledger.spend(EVALUATION)).isEqualTo(new Spend(cny("0"), cny("4.5"), cny("0")));
        assertThat(ledger.lastOrdinal(EVALUATION, "steady", Phase.SINGLE)).isEqualTo(1);
        assertThat(ledger.lastOrdinal(EVALUATION, "steady", Phase.MULTI)).isZero();
    }

    @Test
    void aRepeatedRequestGetsTheRowAsItIsNowAndReservesNothingMore() {
        Samples.evaluation("10").with("steady", "5").in(ledger);
        LeaseRow first = granted(ledger, "steady", Phase.SINGLE, 1, "4");
        LeaseRow creating = moved(first, LeaseState.CREATING);

        assertThat(granted(ledger, "steady", Phase.SINGLE, 1, "9")).isEqualTo(creating);
        closed(moved(creating, LeaseState.NOT_CREATED), "0");
        assertThat(granted(ledger, "steady", Phase.SINGLE, 1, "4").state()).isEqualTo(LeaseState.NOT_CREATED);

        LeaseRow second = granted(ledger, "steady", Phase.SINGLE, 2, "4");
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.token()).isNotEqualTo(first.token());
        assertThat(ledger.leases(EVALUATION)).extracting(LeaseRow::id).containsExactly(first.id(), second.id());
        assertThat(ledger.lastOrdinal(EVALUATION, "steady", Phase.SINGLE)).isEqualTo(2);
    }

    @Test
    void aRepeatedRequestIsAnsweredEvenWhenTheCapIsUsedUpOrTheEvaluationHasEnded() {
        Samples.evaluation("4").with("steady", "4").in(ledger);
        LeaseRow first = granted(ledger, "steady", Phase.SINGLE, 1, "4");
        ledger.evaluationStatus(EVALUATION, EvaluationStatus.CANCELLED, "", NOW);

        assertThat(granted(ledger, "steady", Phase.SINGLE, 1, "4")).isEqualTo(first);
        assertThat(ledger.reserve(intent(key("steady", Phase.SINGLE, 2), "0"), OWNER))
                .isEqualTo(new Grant.Refused("ended", cny("0")));
    }

    @Test
    void senselessRequestsAreRefusedAndChangeNothing() {
        Samples.evaluation("4").with("steady", "4").in(ledger);

        assertInvalid(() -> ledger.reserve(intent(key("stranger", Phase.SINGLE, 1), "1"), OWNER));
        assertInvalid(() -> ledger.reserve(intent(key("steady", Phase.SINGLE, 1), "-1"), OWNER));
        assertInvalid(() -> ledger.reserve(intent(key("steady", Phase.SINGLE, 0), "1"), OWNER));
        assertInvalid(() -> ledger.raiseCap(EVALUATION, cny("3.999999"), NOW));
        assertInvalid(() -> ledger.spend("nobody"));
        assertThat(ledger.leases(EVALUATION)).isEmpty();
    }

    /**
     * Candidate a asks; b's single phase is under way. Cap 100.
     *
     * @param earmarkB what is kept for b's single phase
     * @param singleB what b has reserved for its single lease, 0 for none
     */
    @ParameterizedTest(name = "{0} {1}: earmark {2}, b done {3}, b single {4}, b multi {5} -> {6} {7}")
    @CsvSource({
        // phase, amount, earmark of b, b's single done, b's single lease, b's multi lease, answer, figure
        "SINGLE, 100, 0,  false, 0,  0,  granted, 0",
        "SINGLE, 70,  30, false, 0,  0,  granted, 0",
        "SINGLE, 71,  30, false, 0,  0,  refused, 1",
        "SINGLE, 71,  30, true,  0,  0,  granted, 0",
        "SINGLE, 70,  30, false, 30, 0,  granted, 0",
        "SINGLE, 71,  30, false, 30, 0,  refused, 1",
        "SINGLE, 60,  30, false, 40, 0,  granted, 0",
        "SINGLE, 61,  30, false, 40, 0,  refused, 1",
        "SINGLE, 80,  30, false, 10, 0,  refused, 10",
        "MULTI,  70,  30, false, 0,  0,  granted, 0",
        "MULTI,  71,  30, false, 0,  0,  later,   30",
        "MULTI,  100, 30, false, 0,  0,  later,   30",
        "MULTI,  101, 30, false, 0,  0,  refused, 31",
        "MULTI,  71,  30, true,  0,  0,  granted, 0",
        "MULTI,  71,  30, false, 30, 0,  later,   30",
        "MULTI,  71,  30, true,  30, 0,  refused, 1",
        "MULTI,  75,  30, false, 10, 0,  later,   30",
        "MULTI,  50,  30, false, 0,  50, later,   30",
        "MULTI,  51,  30, false, 0,  50, refused, 31",
        "MULTI,  50,  30, true,  0,  50, granted, 0",
        "MULTI,  51,  0,  false, 0,  50, refused, 1",
    })
    void earmarks(
            Phase phase,
            String amount,
            String earmarkB,
            boolean doneB,
            String singleB,
            String multiB,
            String answer,
            String figure) {
        Samples.evaluation("100").with("a", "50").with("b", "0").in(ledger);
        if (!singleB.equals("0")) {
            granted(ledger, "b", Phase.SINGLE, 1, singleB);
        }
        if (!multiB.equals("0")) {
            ledger.trial(trial(EVALUATION, "a", 0, true, 0));
            granted(ledger, "b", Phase.MULTI, 1, multiB);
            ledger.trial(trial(EVALUATION, "a", 0, false, Samples.micros("50")));
        }
        ledger.trial(trial(EVALUATION, "b", 1, doneB, Samples.micros(earmarkB)));

        Grant grant = ledger.reserve(intent(key("a", phase, 1), amount), OWNER);

        switch (answer) {
            case "granted" -> assertThat(grant).isInstanceOf(Grant.Granted.class);
            case "later" -> assertThat(grant).isEqualTo(new Grant.Later(cny(figure)));
            default -> {
                assertThat(grant).isEqualTo(new Grant.Refused("evaluation", cny(figure)));
                ledger.raiseCap(EVALUATION, cny("100").plus(new BigDecimal(figure)), NOW);
                assertThat(ledger.reserve(intent(key("a", phase, 1), amount), OWNER))
                        .as("with the cap raised by what was missing")
                        .isInstanceOf(Grant.Granted.class);
            }
        }
    }

    @Test
    void theCandidatesOwnCapCountsWhatItSpentAndReserved() {
        Samples.evaluation("100").with("steady", "5", "10").in(ledger);
        closed(granted(ledger, "steady", Phase.SINGLE, 1, "6"), "2.5");
        granted(ledger, "steady", Phase.SINGLE, 2, "3");

        assertThat(ledger.spend(EVALUATION, "steady")).isEqualTo(new Spend(cny("2.5"), cny("3"), cny("0")));
        assertThat(ledger.reserve(intent(key("steady", Phase.MULTI, 1), "4.6"), OWNER))
                .isEqualTo(new Grant.Refused("candidate", cny("0.1")));
        granted(ledger, "steady", Phase.MULTI, 1, "4.5");
    }

    @Test
    void whatAClosedLeaseDidNotUseReturns() {
        Samples.evaluation("10").with("a", "10").in(ledger);
        LeaseRow first = granted(ledger, "a", Phase.SINGLE, 1, "10");
        assertThat(ledger.reserve(intent(key("a", Phase.MULTI, 1), "9.75"), OWNER))
                .isEqualTo(new Grant.Refused("evaluation", cny("9.75")));

        closed(first, "0.25");

        assertThat(ledger.spend(EVALUATION)).isEqualTo(new Spend(cny("0.25"), cny("0"), cny("0")));
        granted(ledger, "a", Phase.MULTI, 1, "9.75");
    }

    @Test
    void moneyOfALeaseClosedWithoutAKnownCostDoesNotReturn() {
        Samples.evaluation("10").with("a", "10").in(ledger);
        LeaseRow lease = inState(granted(ledger, "a", Phase.SINGLE, 1, "6"), LeaseState.RELEASED);

        assertThat(ledger.spend(EVALUATION)).isEqualTo(new Spend(cny("6"), cny("0"), cny("0")));
        ledger.move(
                        lease.id(),
                        lease.fence(),
                        LeaseState.RELEASED,
                        LeaseChange.NONE.closed(NOW, cny("1"), cny("1"), cny("0")),
                        "billed late",
                        NOW)
                .orElseThrow();
        assertThat(ledger.spend(EVALUATION)).isEqualTo(new Spend(cny("1"), cny("0"), cny("0")));
    }

    @Test
    void aVendorThatBillsBeyondItsRulesGetsNoNewLeaseButOthersDo() {
        Samples.evaluation("100").with("bad", "5").with("good", "5").in(ledger);
        LeaseRow lease = inState(granted(ledger, "bad", Phase.SINGLE, 1, "5"), LeaseState.OVERDUE);
        assertThat(ledger.reserve(intent(key("bad", Phase.SINGLE, 2), "5"), OWNER))
                .isEqualTo(new Grant.Refused("overrun", cny("0")));

        ledger.move(
                        lease.id(),
                        lease.fence(),
                        LeaseState.RELEASED,
                        LeaseChange.NONE.closed(NOW, cny("5"), cny("5"), cny("2")),
                        "gone",
                        NOW)
                .orElseThrow();

        assertThat(ledger.spend(EVALUATION)).isEqualTo(new Spend(cny("5"), cny("0"), cny("2")));
        assertThat(ledger.reserve(intent(key("bad", Phase.SINGLE, 2), "5"), OWNER))
                .isEqualTo(new Grant.Refused("overrun", cny("2")));
        granted(ledger, "good", Phase.SINGLE, 1, "5");
        assertThat(ledger.reserve(intent(key("good", Phase.MULTI, 1), "88.5"), OWNER))
                .as("money overrun is gone all the same")
                .isEqualTo(new Grant.Refused("evaluation", cny("0.5")));
    }

    @Test
    void amountsAreRoundedUpAndCapsDown() {
        Samples.evaluation("1.000000").with("a", "1").in(ledger);
        ledger.raiseCap(EVALUATION, fine("1.0000019"), NOW);
        assertThat(ledger.cap(EVALUATION)).isEqualTo(cny("1.000001"));

        var intent = intent(key("a", Phase.SINGLE, 1), "1");
        var fraction = new dev.seatrial.domain.ledger.LeaseIntent(
                intent.key(), intent.offer(), 1, intent.timing(), fine("1.0000011"), "1", false);
        assertThat(ledger.reserve(fraction, OWNER)).isEqualTo(new Grant.Refused("evaluation", cny("0.000001")));
    }

    @Test
    void manyAtOnceNeverGetMoreThanTheCap() throws Exception {
        int askers = 32;
        var setup = Samples.evaluation("100");
        IntStream.range(0, askers).forEach(i -> setup.with("c" + i, "0"));
        setup.in(ledger);
        Ledger second = another();

        List<Grant> grants = together(askers, i -> (i % 2 == 0 ? ledger : second)
                .reserve(intent(key("c" + i, Phase.SINGLE, 1), "7.3" + i % 10), OWNER));

        BigDecimal granted = grants.stream()
                .filter(Grant.Granted.class::isInstance)
                .map(g -> ((Grant.Granted) g).lease().reservedInPlan().getAmount())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        assertThat(granted).isLessThanOrEqualTo(new BigDecimal("100")).isGreaterThan(new BigDecimal("92"));
        assertThat(ledger.spend(EVALUATION).reserved().getAmount()).isEqualByComparingTo(granted);
    }

    @Test
    void manyAskingForTheSameLeaseGetTheSame() throws Exception {
        Samples.evaluation("5").with("a", "5").in(ledger);
        Ledger second = another();

        List<Grant> grants = together(
                16, i -> (i % 2 == 0 ? ledger : second).reserve(intent(key("a", Phase.SINGLE, 1), "5"), OWNER));

        assertThat(grants).hasSize(16).allMatch(grants.get(0)::equals).first().isInstanceOf(Grant.Granted.class);
        assertThat(ledger.leases(EVALUATION)).hasSize(1);
    }

    // ---- moves

    @Test
    void aLeaseGoesItsWayAndTellsItsStory() {
        Samples.evaluation("20").with("steady", "5").in(ledger);
        LeaseRow lease = granted(ledger, "steady", Phase.SINGLE, 1, "4");
        lease = move(lease, LeaseState.CREATING, LeaseChange.NONE.withSentAt(NOW.plusSeconds(1)), "create sent");
        lease = move(lease, LeaseState.PROVISIONING, LeaseChange.NONE.withInstance(new InstanceId("i-7")), "created");
        lease = move(
                lease,
                LeaseState.READY,
                LeaseChange.NONE
                        .withReadyAt(NOW.plusSeconds(30))
                        .withEndpoint(new SshEndpoint("127.0.0.1", 2222, "root")),
                "usable");
        lease = move(lease, LeaseState.READY, LeaseChange.NONE.withNote("checked"), "still there");
        lease = move(
                lease,
                LeaseState.RELEASING,
                LeaseChange.NONE.withReleaseAskedAt(NOW.plusSeconds(90)),
                "x".repeat(3000));
        lease = move(
                lease,
                LeaseState.RELEASED,
                LeaseChange.NONE.closed(NOW.plusSeconds(95), cny("1.25"), cny("1.25"), cny("0")),
                "gone");

        assertThat(lease.fence()).isEqualTo(7);
        assertThat(lease.sentAt()).contains(NOW.plusSeconds(1));
        assertThat(lease.instance()).contains(new InstanceId("i-7"));
        assertThat(lease.readyAt()).contains(NOW.plusSeconds(30));
        assertThat(lease.endpoint()).contains(new SshEndpoint("127.0.0.1", 2222, "root"));
        assertThat(lease.releaseAskedAt()).contains(NOW.plusSeconds(90));
        assertThat(lease.releasedAt()).contains(NOW.plusSeconds(95));
        assertThat(lease.cost()).contains(cny("1.25"));
        assertThat(lease.costInPlan()).contains(cny("1.25"));
        assertThat(lease.note()).isEqualTo("checked");
        assertThat(ledger.openLeases()).isEmpty();
        assertThat(ledger.leasesByName()).containsValue(lease);

        ledger.leaseEvent(lease.id(), "absent-seen", "by the sweep", NOW.plusSeconds(120));
        List<LeaseEvent> story = ledger.leaseEvents(lease.id());
        assertThat(story)
                .extracting(LeaseEvent::type)
                .containsExactly(
                        "intended",
                        "creating",
                        "provisioning",
                        "ready",
                        "update",
                        "releasing",
                        "released",
                        "absent-seen");
        assertThat(story).extracting(LeaseEvent::seq).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(story.get(5).detail()).hasSize(2000);
        assertThat(story.get(7))
                .isEqualTo(new LeaseEvent(lease.id(), 8, NOW.plusSeconds(120), "absent-seen", "by the sweep"));
    }

    @ParameterizedTest
    @EnumSource(LeaseState.class)
    void onlyPermittedMovesAreMade(LeaseState from) {
        Samples.evaluation("1000").with("a", "5").in(ledger);
        int ordinal = 0;
        for (LeaseState to : LeaseState.values()) {
            LeaseRow lease = inState(granted(ledger, "a", Phase.SINGLE, ++ordinal, "1"), from);
            if (from == LeaseState.OVERDUE) {
                lease = closed(lease, "0");
                if (to != LeaseState.values()[0]) {
                    continue;
                }
                // An overdue lease stops grants, so this state is tried with one lease only.
                LeaseRow gone = lease;
                assertInvalid(() -> ledger.move(gone.id(), gone.fence(), LeaseState.READY, LeaseChange.NONE, "", NOW));
                continue;
            }
            LeaseRow row = lease;
            if (to == from || from.next().contains(to)) {
                assertThat(ledger.move(row.id(), row.fence(), to, LeaseChange.NONE, "", NOW))
                        .hasValueSatisfying(after -> assertThat(after.state()).isEqualTo(to));
                if (to == LeaseState.OVERDUE) {
                    closed(ledger.lease(row.id()).orElseThrow(), "0");
                }
            } else {
                assertInvalid(() -> ledger.move(row.id(), row.fence(), to, LeaseChange.NONE, "", NOW));
                assertThat(ledger.lease(row.id())).contains(row);
            }
        }
    }

    @Test
    void aStaleFenceMovesNothing() {
        Samples.evaluation("20").with("a", "5").in(ledger);
        LeaseRow lease = granted(ledger, "a", Phase.SINGLE, 1, "4");
        LeaseRow creating = moved(lease, LeaseState.CREATING);

        assertThat(ledger.move(lease.id(), lease.fence(), LeaseState.NOT_CREATED, LeaseChange.NONE, "", NOW))
                .isEmpty();
        assertThat(ledger.move(lease.id(), 99, LeaseState.SUSPECT, LeaseChange.NONE, "", NOW))
                .isEmpty();
        assertThat(ledger.lease(lease.id())).contains(creating);
        assertThat(ledger.leaseEvents(lease.id())).hasSize(2);
        assertInvalid(() -> ledger.move("unknown", 1, LeaseState.CREATING, LeaseChange.NONE, "", NOW));
        assertInvalid(() -> ledger.leaseEvent("unknown", "x", "", NOW));
    }

    @Test
    void moneyInAnotherCurrencyIsNotMixedIn() {
        Samples.evaluation("20").with("a", "5").in(ledger);
        LeaseRow lease = inState(granted(ledger, "a", Phase.SINGLE, 1, "4"), LeaseState.RELEASING);
        var dollars = org.joda.money.BigMoney.parse("USD 1");

        assertInvalid(() -> ledger.move(
                lease.id(),
                lease.fence(),
                LeaseState.RELEASED,
                LeaseChange.NONE.closed(NOW, cny("1"), dollars, cny("0")),
                "",
                NOW));
        assertInvalid(() -> ledger.raiseCap(EVALUATION, org.joda.money.BigMoney.parse("USD 100"), NOW));
        assertThat(ledger.lease(lease.id())).contains(lease);
    }

    @Test
    void ofManyRacersOneMovesEachStep() throws Exception {
        Samples.evaluation("20").with("a", "5").in(ledger);
        Ledger second = another();
        LeaseRow lease = granted(ledger, "a", Phase.SINGLE, 1, "4");

        for (LeaseState to : List.of(LeaseState.CREATING, LeaseState.PROVISIONING, LeaseState.RELEASING)) {
            LeaseRow now = lease;
            List<Optional<LeaseRow>> moves = together(24, i -> (i % 2 == 0 ? ledger : second)
                    .move(now.id(), now.fence(), to, LeaseChange.NONE, "racer " + i, NOW));
            assertThat(moves).filteredOn(Optional::isPresent).hasSize(1);
            lease = ledger.lease(lease.id()).orElseThrow();
            assertThat(lease.state()).isEqualTo(to);
        }
        assertThat(ledger.leaseEvents(lease.id())).hasSize(4);
    }

    @Test
    void busyStagesDoNotKeepALeaseWaiting() throws Exception {
        Samples.evaluation("20").with("a", "5").in(ledger);
        LeaseRow lease = granted(ledger, "a", Phase.SINGLE, 1, "4");
        int writers = 24;
        for (int i = 0; i < writers; i++) {
            ledger.startStage(stageRun("run" + i, "a", lease.id()));
        }
        List<StoredEvent> batch = IntStream.range(0, 200)
                .mapToObj(i -> new StoredEvent(i, "{\"v\":\"" + "x".repeat(200) + "\"}"))
                .toList();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong written = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            List<Future<?>> busy = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                String run = "run" + i;
                busy.add(threads.submit(() -> {
                    long offset = 0;
                    while (!stop.get()) {
                        offset = ledger.appendEvents(run, offset, offset + 1, batch, 0.5, "busy");
                        written.incrementAndGet();
                    }
                    return offset;
                }));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> written.get() > writers);
            int moves = 40;
            long overtaken = 0;
            for (int i = 0; i < moves; i++) {
                long before = written.get();
                lease = move(lease, LeaseState.INTENDED, LeaseChange.NONE.withNote("n" + i), "");
                overtaken += written.get() - before;
            }
            stop.set(true);
            for (Future<?> writer : busy) {
                writer.get();
            }
            // Waiting its turn, each move would see about as many writes as there are writers.
            assertThat(overtaken)
                    .as("stage writes while %s moves waited", moves)
                    .isLessThan(moves * 6L);
        } finally {
            stop.set(true);
            threads.shutdown();
        }
    }

    // ---- stages

    @Test
    void eventsAreKeptOnceAndOffsetsOnlyMoveFromWhereTheyAre() {
        String run = startedStage();
        List<StoredEvent> first = List.of(new StoredEvent(1, "{\"a\":1}"), new StoredEvent(2, "{\"b\":\"试航\"}"));

        assertThat(ledger.appendEvents(run, 0, 120, first, 0.25, "warming up")).isEqualTo(120);
        assertThat(ledger.appendEvents(run, 0, 130, List.of(new StoredEvent(9, "{}")), 0.9, "stale"))
                .isEqualTo(120);
        assertThat(ledger.appendEvents(
                        run,
                        120,
                        200,
                        List.of(new StoredEvent(2, "{\"other\":1}"), new StoredEvent(3, "{}")),
                        0.5,
                        "on"))
                .isEqualTo(200);

        assertThat(ledger.stageEvents(run)).containsExactly(first.get(0), first.get(1), new StoredEvent(3, "{}"));
        StageRunRow row = ledger.stageRun(run).orElseThrow();
        assertThat(row.offset()).isEqualTo(200);
        assertThat(row.progress()).isEqualTo(0.5, within(1e-9));
        assertThat(row.progressText()).isEqualTo("on");
        assertInvalid(() -> ledger.appendEvents("unknown", 0, 1, List.of(), 0, ""));
        assertInvalid(() -> ledger.appendEvents(run, 200, 100, List.of(), 0, ""));
    }

    @Test
    void anEndlessLineIsReplacedByItsSize() {
        String run = startedStage();
        ledger.appendEvents(run, 0, 10, List.of(new StoredEvent(1, "x".repeat(StoredEvent.MAX_LINE + 1))), 0, "");

        assertThat(ledger.stageEvents(run).get(0).json())
                .isEqualTo("{\"seatrial\":1,\"type\":\"dropped\",\"characters\":65537}");
    }

    @Test
    void startingAStageAgainAttachesToIt() {
        String run = startedStage();
        ledger.appendEvents(run, 0, 50, List.of(), 0.1, "");

        StageRunRow again = ledger.startStage(stageRun(run, "steady", "other"));

        assertThat(again.offset()).isEqualTo(50);
        assertThat(again.lease()).isNotEqualTo("other");
        assertThat(ledger.stageRuns(EVALUATION)).containsExactly(again);
        assertThat(ledger.stageRun("unknown")).isEmpty();
    }

    @Test
    void theFirstEndOfAStageStays() {
        String run = startedStage();
        ledger.stageEnded(run, "ok", NOW.plusSeconds(10));
        ledger.stageEnded(run, "lost", NOW.plusSeconds(20));

        StageRunRow row = ledger.stageRun(run).orElseThrow();
        assertThat(row.state()).isEqualTo("ended");
        assertThat(row.end()).isEqualTo("ok");
        assertThat(row.endedAt()).contains(NOW.plusSeconds(10));
        assertInvalid(() -> ledger.stageEnded("unknown", "ok", NOW));
    }

    @Test
    void resultsComeBackWholeAndInOrderOfStart() {
        String run = startedStage();
        StageResult late = result(run, NOW.plusSeconds(5), Verdict.FAIL);
        StageResult early = result("never-started", NOW, Verdict.SKIPPED);
        ledger.stageResult(EVALUATION, "steady", result(run, NOW.plusSeconds(5), Verdict.PASS));
        ledger.stageResult(EVALUATION, "steady", late);
        ledger.stageResult(EVALUATION, "steady", early);

        assertThat(ledger.stageResults(EVALUATION, "steady")).containsExactly(early, late);
        assertThat(ledger.stageRun(run).orElseThrow().state()).isEqualTo("judged");
        assertThat(ledger.stageResults(EVALUATION, "nobody")).isEmpty();
    }

    @Test
    void rawOutputsAreCompressedAndCapped() {
        String run = startedStage();
        byte[] text = "clock 1410 MHz\n".repeat(100_000).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        byte[] huge = new byte[ArtifactRow.MAX_KEPT + 1000];
        new Random(1).nextBytes(huge);
        ArtifactRow row = new ArtifactRow(run, "dmon.txt", "ab".repeat(32), text.length);
        ArtifactRow big = new ArtifactRow(run, "big.bin", "cd".repeat(32), huge.length);

        ledger.artifact(new ArtifactRow(run, "dmon.txt", "00".repeat(32), 3), new byte[] {1, 2, 3});
        ledger.artifact(row, text);
        ledger.artifact(big, huge);

        assertThat(ledger.artifacts(run)).containsExactly(big, row);
        assertThat(ledger.artifactContent(run, "dmon.txt"))
                .hasValueSatisfying(c -> assertThat(c).isEqualTo(text));
        assertThat(ledger.artifactContent(run, "big.bin"))
                .hasValueSatisfying(c -> assertThat(c).isEqualTo(Arrays.copyOf(huge, ArtifactRow.MAX_KEPT)));
        assertThat(ledger.artifactContent(run, "none")).isEmpty();
    }

    // ---- the rest

    @Test
    void auditAndHeartbeatsAreKept() {
        ledger.audit("root", "start", EVALUATION, NOW);
        ledger.audit("root", "cancel", EVALUATION, NOW.plusSeconds(1));
        ledger.heartbeat(OWNER, NOW);
        ledger.heartbeat(OWNER, NOW.plusSeconds(10));
        ledger.heartbeat(OWNER, NOW.plusSeconds(5));

        assertThat(ledger.audits(1)).containsExactly(new AuditRow(NOW.plusSeconds(1), "root", "cancel", EVALUATION));
        assertThat(ledger.lastHeartbeat(OWNER)).contains(NOW.plusSeconds(10));
        assertThat(ledger.lastHeartbeat("embedded:nobody")).isEmpty();
    }

    @Test
    void everythingIsThereAfterReopening() {
        String run = startedStage();
        LeaseRow lease = ledger.openLeases().get(0);
        ledger.appendEvents(run, 0, 7, List.of(new StoredEvent(1, "{}")), 1, "done");
        String installation = ledger.installation();
        ledger.close();

        Ledger again = another();

        assertThat(again.installation()).isEqualTo(installation).matches("[a-z0-9]{8}");
        assertThat(again.openLeases()).containsExactly(lease);
        assertThat(again.stageEvents(run)).hasSize(1);
        assertThat(again.evaluations(10)).containsExactly(Samples.row(EVALUATION));
    }

    // ---- helpers

    protected static void assertInvalid(org.assertj.core.api.ThrowableAssert.ThrowingCallable action) {
        assertThatThrownBy(action).isInstanceOfSatisfying(LedgerException.class, e -> assertThat(e.kind())
                .isEqualTo(LedgerException.Kind.INVALID));
    }

    private static org.joda.money.BigMoney fine(String amount) {
        return org.joda.money.BigMoney.of(Samples.CNY, new BigDecimal(amount));
    }

    private EvaluationStatus status() {
        return ledger.evaluation(EVALUATION).orElseThrow().status();
    }

    private String startedStage() {
        Samples.evaluation("20").with("steady", "5").in(ledger);
        LeaseRow lease = granted(ledger, "steady", Phase.SINGLE, 1, "4");
        return ledger.startStage(stageRun("st-run-1", "steady", lease.id())).id();
    }

    private LeaseRow move(LeaseRow lease, LeaseState to, LeaseChange change, String detail) {
        return ledger.move(lease.id(), lease.fence(), to, change, detail, NOW).orElseThrow();
    }

    private LeaseRow moved(LeaseRow lease, LeaseState to) {
        return move(lease, to, LeaseChange.NONE, "");
    }

    /** Leads a lease by permitted moves to a state. */
    private LeaseRow inState(LeaseRow lease, LeaseState wanted) {
        List<LeaseState> way =
                switch (wanted) {
                    case INTENDED -> List.of();
                    case CREATING -> List.of(LeaseState.CREATING);
                    case SUSPECT -> List.of(LeaseState.CREATING, LeaseState.SUSPECT);
                    case PROVISIONING -> List.of(LeaseState.CREATING, LeaseState.PROVISIONING);
                    case READY -> List.of(LeaseState.CREATING, LeaseState.PROVISIONING, LeaseState.READY);
                    case RELEASING -> List.of(LeaseState.CREATING, LeaseState.RELEASING);
                    case OVERDUE -> List.of(LeaseState.CREATING, LeaseState.OVERDUE);
                    case RELEASED -> List.of(LeaseState.CREATING, LeaseState.RELEASING, LeaseState.RELEASED);
                    case NOT_CREATED -> List.of(LeaseState.NOT_CREATED);
                    case HANDED_BACK -> List.of(LeaseState.CREATING, LeaseState.RELEASING, LeaseState.HANDED_BACK);
                };
        LeaseRow now = lease;
        for (LeaseState step : way) {
            now = moved(now, step);
        }
        return now;
    }

    /** Closes a lease at a cost. */
    private LeaseRow closed(LeaseRow lease, String cost) {
        LeaseRow now = lease;
        if (now.state() == LeaseState.INTENDED) {
            now = inState(now, LeaseState.RELEASING);
        }
        LeaseState end = EnumSet.of(LeaseState.RELEASING, LeaseState.OVERDUE).contains(now.state())
                ? LeaseState.RELEASED
                : now.state();
        return move(now, end, LeaseChange.NONE.closed(NOW, cny(cost), cny(cost), cny("0")), "closed");
    }

    private static StageResult result(String run, Instant start, Verdict verdict) {
        Measurement measurement = new Measurement(
                "matmul_bf16_sustained",
                Optional.of("GPU-1"),
                171.25,
                "TFLOP/s",
                5,
                170,
                172.5,
                0.004,
                "matmul/1",
                "torch 2.4",
                false,
                Map.of("bytes", "1024"),
                Optional.of(new Reference(265, "own runs", "2026-11", "measured", 0.08)),
                Optional.of(0.646),
                verdict);
        Finding finding = new Finding(
                "SLOW_CARD",
                Severity.FAIL,
                Owner.VENDOR,
                "slower than its label",
                Map.of("percent", "65"),
                "raw",
                "ask the vendor");
        return new StageResult(
                run,
                Phase.SINGLE,
                1,
                StageName.COMPUTE,
                "lease",
                1,
                verdict,
                "BF16 171 of 265",
                start,
                Optional.of(start.plusSeconds(3)),
                verdict == Verdict.SKIPPED ? List.of() : List.of(measurement, measurement),
                verdict == Verdict.SKIPPED ? List.of() : List.of(finding));
    }

    /** Runs the same thing on many threads that start as nearly at once as they can. */
    protected static <T> List<T> together(int threads, java.util.function.IntFunction<T> action)
            throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            var barrier = new java.util.concurrent.CyclicBarrier(threads);
            List<Future<T>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int index = i;
                Callable<T> task = () -> {
                    barrier.await();
                    return action.apply(index);
                };
                results.add(pool.submit(task));
            }
            List<T> values = new ArrayList<>();
            for (Future<T> result : results) {
                values.add(result.get());
            }
            return values;
        } finally {
            pool.shutdown();
        }
    }
}
