package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.money.SpendLimit;
import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Limits over all evaluations, with real workflows against the vendors' meters. */
@Timeout(180)
class OverallLimitsTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";

    @TempDir
    Path home;

    @Test
    void whatDoesNotFitTheDayIsNotStartedAndTheUserReadsWhy() {
        try (World world = new World(home).vendor("steady", Plans.alone("steady"))) {
            String first = world.run(Plans.plan("20", "- { provider: steady }", SHORT));
            assertThat(world.ledger.evaluation(first).orElseThrow().status()).isEqualTo(EvaluationStatus.COMPLETED);
            BigMoney worst = world.ledger.leases(first).get(0).timing().reserved();
            // Enough for one on a day on which nothing was spent yet.
            limits(world, new SpendLimit(Optional.empty(), Period.DAY, worst));
            int created = world.meter("steady").created();
            String second = world.run(Plans.plan("20", "- { provider: steady }", SHORT));

            assertThat(world.meter("steady").created()).isEqualTo(created);
            assertThat(world.ledger.evaluation(second).orElseThrow().status())
                    .isEqualTo(EvaluationStatus.STOPPED_BY_BUDGET);
            assertThat(world.trial(second, "steady").reason())
                    .contains("the limit of " + worst + " per day of all accounts together leaves CNY 0.")
                    .contains("it begins anew at ")
                    .contains("T00:00+08:00");
            world.pass(Duration.ofHours(24));
            String third = world.run(Plans.plan("20", "- { provider: steady }", SHORT));
            assertThat(world.ledger.evaluation(third).orElseThrow().status()).isEqualTo(EvaluationStatus.COMPLETED);
        }
    }

    @Test
    void aPrepaidBalanceIsNotUsedUp() {
        String poor = """
                {"extends": "steady", "balance": 10.5, "deadline": {"supported": false}}""";
        String silent = """
                {"extends": "steady", "deadline": {"supported": false}, "traits": {"balance": false}}""";
        try (World world = new World(home).vendor("poor", poor).vendor("silent", silent)) {
            limits(
                    world,
                    new SpendLimit(Optional.of("poor"), Period.BALANCE, BigMoney.parse("CNY 10")),
                    new SpendLimit(Optional.of("silent"), Period.BALANCE, BigMoney.parse("CNY 10")));

            String id = world.run(Plans.plan("20", "- { provider: poor }\n- { provider: silent }\n", SHORT));

            assertThat(world.meter("poor").created()).isZero();
            assertThat(world.meter("silent").created()).isZero();
            assertThat(world.trial(id, "poor").reason())
                    .contains("the balance of CNY 10.000000 to be kept of the account poor leaves CNY 0.500000");
            assertThat(world.trial(id, "silent").reason()).contains("the vendor does not tell its balance now");
        }
    }

    private static void limits(World world, SpendLimit... limits) {
        world.ledger.spendLimits(Optional.of(
                new SpendLimits(CurrencyUnit.of("CNY"), ZoneId.of("Asia/Shanghai"), Map.of(), Arrays.asList(limits))));
    }
}
