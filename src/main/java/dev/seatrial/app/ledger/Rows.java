package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.SshEndpoint;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.jspecify.annotations.Nullable;

/** Reads rows. */
final class Rows {
    private Rows() {}

    static EvaluationRow evaluation(ResultSet rs) throws SQLException {
        return new EvaluationRow(
                rs.getString("id"),
                rs.getString("plan_name"),
                rs.getString("plan_hash"),
                rs.getString("plan_json"),
                EvaluationStatus.of(rs.getString("status")),
                rs.getBoolean("simulated"),
                rs.getString("owner"),
                instant(rs, "started_at"),
                optionalInstant(rs, "ended_at"),
                rs.getString("note"));
    }

    static TrialRow trial(ResultSet rs) throws SQLException {
        return new TrialRow(
                rs.getString("evaluation"),
                rs.getString("candidate"),
                rs.getString("provider"),
                rs.getInt("position"),
                rs.getBoolean("simulated"),
                rs.getString("state"),
                rs.getString("phase"),
                rs.getString("stage"),
                rs.getBoolean("single_done"),
                rs.getLong("single_earmark"),
                Optional.ofNullable(rs.getString("verdict")).map(Verdict::valueOf),
                rs.getString("reason"),
                Optional.ofNullable(rs.getString("stopped_at")),
                new Coverage(
                        CoverageLevel.of(rs.getString("coverage_environment")),
                        CoverageLevel.of(rs.getString("coverage_performance")),
                        CoverageLevel.of(rs.getString("coverage_stability"))));
    }

    static LeaseRow lease(ResultSet rs) throws SQLException {
        String name = rs.getString("name");
        String currency = rs.getString("currency");
        String planCurrency = rs.getString("plan_currency");
        String host = rs.getString("ssh_host");
        return new LeaseRow(
                rs.getString("id"),
                new LeaseKey(
                        rs.getString("evaluation"),
                        rs.getString("candidate"),
                        Phase.of(rs.getString("phase")),
                        rs.getInt("ordinal")),
                new ProviderId(rs.getString("provider")),
                rs.getString("offer"),
                rs.getString("region"),
                rs.getString("gpu"),
                rs.getInt("gpus"),
                LeaseName.parse(name).orElseThrow(() -> new SQLException("the ledger holds no lease name: " + name)),
                rs.getString("token"),
                new Pricing(
                        price(rs, "price_hourly", currency),
                        BillingIncrement.valueOf(rs.getString("increment")),
                        Duration.ofMillis(rs.getLong("minimum_billing")),
                        price(rs, "storage_hourly", currency)),
                new LeaseTiming(
                        instant(rs, "requested_at"),
                        instant(rs, "deadline"),
                        instant(rs, "latest_gone"),
                        Micros.money(rs.getLong("reserved"), currency)),
                Micros.money(rs.getLong("reserved_in_plan"), planCurrency),
                rs.getString("fx_rate"),
                rs.getBoolean("borrowed"),
                LeaseState.valueOf(rs.getString("state")),
                rs.getLong("fence"),
                Optional.ofNullable(rs.getString("instance")).map(InstanceId::new),
                host == null
                        ? Optional.empty()
                        : Optional.of(new SshEndpoint(host, rs.getInt("ssh_port"), rs.getString("ssh_user"))),
                optionalInstant(rs, "sent_at"),
                optionalInstant(rs, "ready_at"),
                optionalInstant(rs, "release_asked_at"),
                optionalInstant(rs, "released_at"),
                optionalMoney(rs, "cost", currency),
                optionalMoney(rs, "cost_in_plan", planCurrency),
                Micros.money(rs.getLong("overrun_in_plan"), planCurrency),
                rs.getString("note"),
                rs.getString("owner"));
    }

    static StageRunRow stageRun(ResultSet rs) throws SQLException {
        return new StageRunRow(
                rs.getString("id"),
                rs.getString("evaluation"),
                rs.getString("candidate"),
                Phase.of(rs.getString("phase")),
                rs.getInt("gpus"),
                StageName.of(rs.getString("stage")),
                rs.getString("lease"),
                rs.getInt("attempt"),
                rs.getString("state"),
                rs.getLong("read_offset"),
                rs.getDouble("progress"),
                rs.getString("progress_text"),
                instant(rs, "started_at"),
                optionalInstant(rs, "ended_at"),
                rs.getString("end_word"));
    }

    static Instant instant(ResultSet rs, String column) throws SQLException {
        return Instant.ofEpochMilli(rs.getLong(column));
    }

    static Optional<Instant> optionalInstant(ResultSet rs, String column) throws SQLException {
        OptionalLong millis = optionalLong(rs, column);
        return millis.isPresent() ? Optional.of(Instant.ofEpochMilli(millis.getAsLong())) : Optional.empty();
    }

    static OptionalLong optionalLong(ResultSet rs, String column) throws SQLException {
        long value = rs.getLong(column);
        return rs.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }

    static @Nullable Long millis(Optional<Instant> at) {
        return at.map(Instant::toEpochMilli).orElse(null);
    }

    private static Optional<BigMoney> optionalMoney(ResultSet rs, String column, String currency) throws SQLException {
        OptionalLong micros = optionalLong(rs, column);
        return micros.isPresent() ? Optional.of(Micros.money(micros.getAsLong(), currency)) : Optional.empty();
    }

    private static BigMoney price(ResultSet rs, String column, String currency) throws SQLException {
        return BigMoney.of(CurrencyUnit.of(currency), new BigDecimal(rs.getString(column)));
    }
}
