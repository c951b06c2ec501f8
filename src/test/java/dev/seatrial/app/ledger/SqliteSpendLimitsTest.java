package dev.seatrial.app.ledger;

import static dev.seatrial.app.ledger.Samples.NOW;
import static dev.seatrial.app.ledger.Samples.OWNER;
import static dev.seatrial.app.ledger.Samples.cny;
import static dev.seatrial.app.ledger.Samples.intent;
import static dev.seatrial.app.ledger.Samples.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.money.SpendLimit;
import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.domain.plan.Phase;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.joda.money.CurrencyUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteSpendLimitsTest extends SpendLimitsContract {
    @TempDir
    Path home;

    @Override
    protected Ledger openStore() {
        return SqlLedger.open(home.resolve("ledger.db"), InstantSource.fixed(NOW));
    }

    @Test
    void twoProcessesTogetherNeverGetMoreThanTheLimit() throws Exception {
        Samples.evaluation("1000").with("ours", "0").with("theirs", "0").in(ledger);
        ledger.spendLimits(Optional.of(new SpendLimits(
                CurrencyUnit.of("CNY"),
                ZoneOffset.UTC,
                Map.of(),
                List.of(new SpendLimit(Optional.empty(), Period.DAY, cny("10"))))));
        try (ChildJvm child = ChildJvm.start(
                LedgerChild.class, home.resolve("ledger.db").toString(), "reserve", "theirs", "60", "0.17")) {
            child.await("ready");
            int ours = 0;
            for (int i = 1; i <= 60; i++) {
                Grant grant = ledger.reserve(intent(key("ours", Phase.SINGLE, i), "0.17"), OWNER);
                ours += grant instanceof Grant.Granted ? 1 : 0;
            }
            int theirs = Integer.parseInt(child.await("granted ").substring("granted ".length()));

            assertThat(child.ended()).isZero();
            assertThat(ours + theirs).isEqualTo(58);
        }
    }
}
