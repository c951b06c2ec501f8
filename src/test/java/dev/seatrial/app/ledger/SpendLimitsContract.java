package dev.seatrial.app.ledger;

import static dev.seatrial.app.ledger.Samples.OWNER;
import static dev.seatrial.app.ledger.Samples.cny;
import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.BalanceSeen;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.money.SpendLimit;
import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.InstanceId;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every ledger must do about limits over all evaluations. */
@Timeout(120)
abstract class SpendLimitsContract {
    private static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai");
    /** 20:00 at Shanghai on the last day of a month. */
    private static final Instant EVENING = Instant.parse("2026-11-30T12:00:00Z");

    private static final Instant MIDNIGHT = Instant.parse("2026-11-30T16:00:00Z");

    private final List<Ledger> opened = new ArrayList<>();
    protected Ledger ledger;

    /** Opens one more ledger on the same store, which is fresh for each test. */
    protected abstract Ledger openStore();

    @BeforeEach
    void openFirst() {
        ledger = another();
        for (String evaluation : List.of("evalone111", "evaltwo222")) {
            Samples.evaluation("1000")
                    .named(evaluation)
                    .with("a", "0")
                    .with("b", "0")
                    .in(ledger);
        }
    }

    @AfterEach
    void closeAll() {
        opened.forEach(Ledger::close);
    }

    private Ledger another() {
        Ledger one = openStore();
        opened.add(one);
        return one;
    }

    @Test
    void areKeptUntilOthersTakeTheirPlace() {
        SpendLimits limits = new SpendLimits(
                CurrencyUnit.of("CNY"),
                SHANGHAI,
                Map.of("USD", new BigDecimal("7.1"), "EUR", new BigDecimal("8")),
                List.of(all(Period.MONTH, "300"), own("a", Period.DAY, "20"), own("a", Period.BALANCE, "5")));

        assertThat(ledger.spendLimits()).isEmpty();
        assertThat(ledger.spendLimits(Optional.of(limits))).isTrue();
        assertThat(ledger.spendLimits(Optional.of(limits))).as("the same again").isFalse();

        assertThat(another().spendLimits()).contains(limits);
        assertThat(ledger.spendLimits(Optional.empty())).isTrue();
        assertThat(another().spendLimits()).isEmpty();
    }

    @Test
    void countEveryEvaluationTogether() {
        limits(all(Period.DAY, "10"));

        assertThat(reserve("evalone111", "a", 1, "6", EVENING)).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evaltwo222", "b", 1, "5", EVENING))
                .isEqualTo(new Grant.Limited(all(Period.DAY, "10"), cny("4"), cny("5"), Optional.of(MIDNIGHT)));
        assertThat(reserve("evaltwo222", "b", 1, "4", EVENING)).isInstanceOf(Grant.Granted.class);
    }

    @Test
    void anAccountsOwnCountsThatAccountOnly() {
        limits(own("a", Period.MONTH, "10"));

        assertThat(reserve("evalone111", "b", 1, "50", EVENING)).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evalone111", "a", 1, "10", EVENING)).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evaltwo222", "a", 1, "0.000001", EVENING)).isInstanceOf(Grant.Limited.class);
    }

    @Test
    void beginAnewAtMidnightAndWithTheMonth() {
        limits(all(Period.DAY, "10"), all(Period.MONTH, "15"));

        reserve("evalone111", "a", 1, "10", EVENING);
        assertThat(reserve("evalone111", "a", 2, "1", MIDNIGHT.minusSeconds(3_800)))
                .as("it ends with the day")
                .isInstanceOf(Grant.Limited.class);
        // The next day is in the next month here, and one month's limit is not the other's.
        assertThat(reserve("evalone111", "a", 3, "10", MIDNIGHT)).isInstanceOf(Grant.Granted.class);
        assertThat(((Grant.Limited) reserve("evalone111", "a", 4, "6", MIDNIGHT.plus(Duration.ofDays(1)))).limit())
                .isEqualTo(all(Period.MONTH, "15"));
    }

    @Test
    void whatReachesIntoTheNextDayMustFitBoth() {
        limits(all(Period.DAY, "10"));
        Instant late = MIDNIGHT.minusSeconds(1_900);

        // Half of it is spent before midnight, half after.
        assertThat(reserve("evalone111", "a", 1, "18", late)).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evalone111", "a", 2, "1.5", EVENING))
                .as("nine are kept today")
                .isInstanceOf(Grant.Limited.class);
        Grant tomorrow = reserve("evalone111", "b", 1, "1.5", MIDNIGHT.plus(Duration.ofHours(9)));
        assertThat(((Grant.Limited) tomorrow).left()).isEqualTo(cny("1"));
        assertThat(((Grant.Limited) tomorrow).resets()).contains(MIDNIGHT.plus(Duration.ofDays(1)));
    }

    @Test
    void whatALeaseDidNotUseIsFreeAgain() {
        limits(all(Period.DAY, "10"));
        LeaseRow lease = ((Grant.Granted) reserve("evalone111", "a", 1, "10", EVENING)).lease();
        assertThat(reserve("evaltwo222", "b", 1, "1", EVENING)).isInstanceOf(Grant.Limited.class);

        close(lease, "3", "0");

        assertThat(reserve("evaltwo222", "b", 1, "7", EVENING)).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evaltwo222", "b", 2, "0.1", EVENING)).isInstanceOf(Grant.Limited.class);
    }

    @Test
    void anOverrunCounts() {
        limits(all(Period.DAY, "10"));
        close(((Grant.Granted) reserve("evalone111", "a", 1, "4", EVENING)).lease(), "4", "3");

        assertThat(((Grant.Limited) reserve("evaltwo222", "b", 1, "4", EVENING)).left())
                .isEqualTo(cny("3"));
    }

    @Test
    void simulatedMoneyUsesUpNoReal() {
        // The samples are simulated; a real one beside them starts with nothing spent.
        limits(all(Period.DAY, "10"));
        reserve("evalone111", "a", 1, "10", EVENING);

        assertThat(ledger.limitUse(ledger.spendLimits().orElseThrow(), true, EVENING)
                        .get(0)
                        .left())
                .isEqualTo(cny("0"));
        assertThat(ledger.limitUse(ledger.spendLimits().orElseThrow(), false, EVENING)
                        .get(0)
                        .left())
                .isEqualTo(cny("10"));
    }

    @Test
    void anotherCurrencyIsCountedByTheConfiguredRate() {
        SpendLimits dollars = new SpendLimits(
                CurrencyUnit.of("USD"),
                SHANGHAI,
                Map.of("CNY", new BigDecimal("0.14")),
                List.of(new SpendLimit(Optional.empty(), Period.DAY, BigMoney.parse("USD 1.4"))));
        ledger.spendLimits(Optional.of(dollars));

        assertThat(reserve("evalone111", "a", 1, "10", EVENING)).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evalone111", "a", 2, "0.01", EVENING)).isInstanceOf(Grant.Limited.class);
    }

    @Test
    void whatCannotBeConvertedIsNotGranted() {
        ledger.spendLimits(Optional.of(new SpendLimits(
                CurrencyUnit.of("EUR"),
                SHANGHAI,
                Map.of(),
                List.of(new SpendLimit(Optional.empty(), Period.DAY, BigMoney.parse("EUR 100"))))));

        assertThat(((Grant.Untold) reserve("evalone111", "a", 1, "1", EVENING)).why())
                .contains("limits.fx")
                .contains("from CNY to EUR");
    }

    @Test
    void aBalanceIsKeptWithEverythingThatIsStillToBeBilled() {
        limits(own("a", Period.BALANCE, "20"));

        assertThat(((Grant.Untold) reserve("evalone111", "a", 1, "1", EVENING))
                        .limit()
                        .period())
                .isEqualTo(Period.BALANCE);
        assertThat(reserve("evalone111", "b", 1, "1", EVENING))
                .as("another account")
                .isInstanceOf(Grant.Granted.class);

        assertThat(reserve("evalone111", "a", 1, "31", EVENING, "50"))
                .isEqualTo(new Grant.Limited(own("a", Period.BALANCE, "20"), cny("30"), cny("31"), Optional.empty()));
        assertThat(reserve("evalone111", "a", 1, "20", EVENING, "50")).isInstanceOf(Grant.Granted.class);
        assertThat(reserve("evalone111", "a", 2, "11", EVENING, "50"))
                .as("the open lease has not been billed")
                .isInstanceOf(Grant.Limited.class);
        assertThat(reserve("evalone111", "a", 2, "10", EVENING, "50")).isInstanceOf(Grant.Granted.class);
    }

    @Test
    void aBillThatIsStillUnderWayCountsAgainstTheBalance() {
        limits(own("a", Period.BALANCE, "20"));
        LeaseRow lease = ((Grant.Granted) reserve("evalone111", "a", 1, "20", EVENING, "50")).lease();
        close(lease, "15", "0");

        assertThat(reserve("evalone111", "a", 2, "16", EVENING.plusSeconds(1_000), "50"))
                .as("the vendor has not taken the 15 yet")
                .isInstanceOf(Grant.Limited.class);
        assertThat(reserve(
                        "evalone111",
                        "a",
                        2,
                        "15",
                        EVENING.plus(OverallSpend.SETTLED).plusSeconds(1_000),
                        "35"))
                .isInstanceOf(Grant.Granted.class);
    }

    @Test
    void manyAtOnceNeverGetMoreThanTheLimit() throws Exception {
        limits(all(Period.DAY, "10"));
        List<Ledger> ledgers = List.of(ledger, another(), another());
        ExecutorService pool = Executors.newFixedThreadPool(12);
        try {
            List<Callable<Boolean>> asks = new ArrayList<>();
            for (int i = 1; i <= 90; i++) {
                int ordinal = i;
                Ledger mine = ledgers.get(i % 3);
                String evaluation = i % 2 == 0 ? "evalone111" : "evaltwo222";
                asks.add(() -> mine.reserve(intent(evaluation, "a", ordinal, "0.17", EVENING), OWNER)
                        instanceof Grant.Granted);
            }
            int granted = 0;
            for (Future<Boolean> one : pool.invokeAll(asks)) {
                granted += one.get() ? 1 : 0;
            }
            assertThat(granted).isEqualTo(58);
        } finally {
            pool.shutdownNow();
        }
    }

    private void limits(SpendLimit... limits) {
        ledger.spendLimits(
                Optional.of(new SpendLimits(CurrencyUnit.of("CNY"), SHANGHAI, Map.of(), Arrays.asList(limits))));
    }

    private static SpendLimit all(Period period, String amount) {
        return new SpendLimit(Optional.empty(), period, cny(amount));
    }

    private static SpendLimit own(String account, Period period, String amount) {
        return new SpendLimit(Optional.of(account), period, cny(amount));
    }

    private Grant reserve(String evaluation, String candidate, int ordinal, String amount, Instant at) {
        return ledger.reserve(intent(evaluation, candidate, ordinal, amount, at), OWNER);
    }

    private Grant reserve(String evaluation, String candidate, int ordinal, String amount, Instant at, String balance) {
        return ledger.reserve(
                intent(evaluation, candidate, ordinal, amount, at),
                OWNER,
                Optional.of(new BalanceSeen(cny(balance), at)));
    }

    private static LeaseIntent intent(String evaluation, String candidate, int ordinal, String amount, Instant at) {
        return new LeaseIntent(
                new LeaseKey(evaluation, candidate, Phase.SINGLE, ordinal),
                Samples.offer(candidate),
                1,
                new LeaseTiming(at, at.plusSeconds(3_600), at.plusSeconds(3_800), cny(amount)),
                cny(amount),
                "1",
                false);
    }

    /** Ten minutes after it was asked for. */
    private void close(LeaseRow lease, String cost, String overrun) {
        Instant at = lease.timing().requestedAt().plusSeconds(600);
        LeaseRow row = lease;
        for (LeaseState state : List.of(LeaseState.CREATING, LeaseState.PROVISIONING, LeaseState.RELEASING)) {
            row = ledger.move(row.id(), row.fence(), state, LeaseChange.NONE.withInstance(new InstanceId("i")), "", at)
                    .orElseThrow();
        }
        ledger.move(
                row.id(),
                row.fence(),
                LeaseState.RELEASED,
                LeaseChange.NONE.closed(at, cny(cost).plus(cny(overrun)), cny(cost), cny(overrun)),
                "",
                at);
    }
}
