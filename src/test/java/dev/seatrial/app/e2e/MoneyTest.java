package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import java.nio.file.Path;
import java.time.Instant;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Law 5 against the vendors' own meters. */
@Timeout(180)
class MoneyTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";

    @TempDir
    Path home;

    @Test
    void whatCannotPayItsWorstCaseIsNotStartedAndTheMissingAmountIsTold() {
        try (World world = new World(home).vendor("poor", Plans.alone("steady"))) {
            String id = world.run(Plans.plan("20", "- { provider: poor, cap: 0.10 }", SHORT));

            assertThat(world.ledger.evaluation(id).orElseThrow().status())
                    .isEqualTo(EvaluationStatus.STOPPED_BY_BUDGET);
            assertThat(world.meter("poor").created()).isZero();
            assertThat(world.ledger.leases(id)).isEmpty();
            assertThat(world.trial(id, "poor").verdict()).contains(Verdict.UNKNOWN);
            assertThat(world.trial(id, "poor").stoppedAt()).contains("budget");
            assertThat(world.trial(id, "poor").reason())
                    .contains("cap of the candidate is CNY 0.")
                    .contains("short");
            assertThat(world.ledger.evaluation(id).orElseThrow().note()).contains("poor: needs up to CNY 0.");
        }
    }

    @Test
    void aCapThatPaysForOneGpuOnlyStopsBeforeTheSecondPhase() {
        try (World world = new World(home).vendor("vendor", Plans.alone("steady"))) {
            String id = world.run(Plans.plan("3", "- { provider: vendor }", SHORT, Plans.MULTI));

            assertThat(world.ledger.evaluation(id).orElseThrow().status())
                    .isEqualTo(EvaluationStatus.STOPPED_BY_BUDGET);
            assertThat(world.meter("vendor").instances()).hasSize(1).allSatisfy(i -> assertThat(i.gpus())
                    .isEqualTo(1));
            assertThat(world.trial(id, "vendor").stoppedAt()).contains("multi-8/budget");
            assertThat(world.trial(id, "vendor").reason()).contains("for 8 GPU; the cap of the evaluation is CNY ");
            world.assertNothingLost(id);
        }
    }

    @Test
    void hoursMinimumsAndForeignCurrenciesAreCountedAsTheVendorCountsThem() {
        try (World world = new World(home)
                .vendor("hourly", billing(Plans.offer(1, "9.00", "hour", 0), "CNY"))
                .vendor("minimum", billing(Plans.offer(1, "6.00", "second", 1800), "CNY"))
                .vendor("abroad", billing(Plans.offer(1, "1.30", "minute", 0), "USD"))) {
            String candidates = """
                    - { provider: hourly }
                    - { provider: minimum }
                    - { provider: abroad }
                    """;
            String id = world.run(Plans.plan("40", candidates, SHORT));

            assertThat(world.ledger.trials(id))
                    .allSatisfy(t -> assertThat(t.verdict()).contains(Verdict.PASS));
            assertThat(world.leases(id, "hourly").get(0).costInPlan()).contains(cny("9.000000"));
            assertThat(world.leases(id, "minimum").get(0).costInPlan()).contains(cny("3.000000"));
            LeaseRow abroad = world.leases(id, "abroad").get(0);
            assertThat(abroad.cost().orElseThrow().getCurrencyUnit().getCode()).isEqualTo("USD");
            assertThat(abroad.fxRate()).isEqualTo("7.1");
            world.assertNothingLost(id);
        }
    }

    @Test
    void nobodySpendsOnSeveralGpusBeforeEveryoneHasHadOne() {
        String slow = """
                {"extends": "steady", "timing": {"boot": 45}, "deadline": {"supported": false}}""";
        try (World world = new World(home).vendor("fast", Plans.alone("steady")).vendor("slow", slow)) {
            String candidates = """
                    - { provider: fast }
                    - { provider: slow }
                    """;
            // Enough for both to have one GPU, and for eight only once nothing is kept for one any more.
            String id = world.run(Plans.plan("6.45", candidates, SHORT, Plans.MULTI));

            Instant slowDone = world.leases(id, "slow").get(0).releasedAt().orElseThrow();
            assertThat(world.leases(id, "slow").get(0).state()).isEqualTo(LeaseState.RELEASED);
            assertThat(world.ledger.leases(id).stream()
                            .filter(l -> l.phase() == Phase.MULTI)
                            .toList())
                    .isNotEmpty()
                    .allSatisfy(l -> assertThat(l.timing().requestedAt()).isAfterOrEqualTo(slowDone));
            world.assertNothingLost(id);
        }
    }

    private static String billing(String offer, String currency) {
        return """
                {"extends": "steady", "currency": "%s", "offers": [%s],
                 "deadline": {"supported": false}, "traits": {"cost": false}}""".formatted(currency, offer);
    }

    private static BigMoney cny(String amount) {
        return BigMoney.parse("CNY " + amount);
    }
}
