package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.app.plan.PlanJson;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One candidate's failed baseline as the real ledger keeps it. */
class ReportOnRealLedgerTest {
    private static final String CANDIDATE = "sim-discount";
    private static final Plan PLAN = Sample.plan();

    @TempDir
    Path home;

    @Test
    void whatWasWrittenIsReported() throws Exception {
        try (Ledger ledger = SqlLedger.open(home.resolve("ledger.db"), () -> Sample.START)) {
            openEvaluation(ledger);
            LeaseRow lease = rentedAndReleased(ledger);
            judged(ledger, lease);
            ledger.audit("trial", "NO_CAPACITY", Sample.ID + "/" + CANDIDATE + ": sold out", Sample.START);
            ledger.trial(Sample.trial(
                    CANDIDATE,
                    0,
                    Optional.of(Verdict.FAIL),
                    "BF16 sustained 171 of 265 = 65 %, below 80 %",
                    Optional.of("single/compute"),
                    Sample.TESTED));
            ledger.evaluationStatus(Sample.ID, EvaluationStatus.COMPLETED, "", at(60));

            DefaultReports reports = new DefaultReports(ledger, home.resolve("reports"), PlanJson::read);
            JsonNode json = reports.json(Sample.ID);
            assertThat(json.path("status").asText()).isEqualTo("completed");
            assertThat(json.path("budget").path("spent").asText()).isEqualTo("0.045139");
            JsonNode trial = json.path("trials").path(0);
            assertThat(trial.path("leases").path(0).path("state").asText()).isEqualTo("RELEASED");
            assertThat(trial.path("leases").path(0).path("cost").asText()).isEqualTo("0.045139");
            assertThat(trial.path("leases").path(0).path("instance").asText()).isEqualTo("i-1");
            assertThat(trial.path("stages")
                            .path(0)
                            .path("measurements")
                            .path(0)
                            .path("ratio")
                            .asDouble())
                    .isEqualTo(0.645283);

            String html = Files.readString(reports.write(Sample.ID, Locale.ENGLISH));
            assertThat(html)
                    .contains("proven gone; read as absent 2 times, 01:00:25 to 01:00:27 UTC; asked 2 times, refused 1")
                    .contains("NO_CAPACITY: sold out")
                    .contains("NVIDIA Something");
            assertThat(reports.text(Sample.ID, Locale.ENGLISH, 140, false))
                    .contains("0.0451 of 5.00 CNY")
                    .contains("yes, 1 of 1")
                    .contains("What the gate saved: sim-discount");
        }
    }

    private static void openEvaluation(Ledger ledger) {
        ledger.openEvaluation(
                new EvaluationRow(
                        Sample.ID,
                        PLAN.name(),
                        PLAN.hash(),
                        PlanJson.write(PLAN),
                        EvaluationStatus.RUNNING,
                        true,
                        "embedded:1",
                        Sample.START,
                        Optional.empty(),
                        ""),
                PLAN,
                List.of(Sample.trial(CANDIDATE, 0, Optional.empty(), "", Optional.empty(), Sample.TESTED)));
    }

    private static LeaseRow rentedAndReleased(Ledger ledger) {
        BigMoney reserved = BigMoney.parse("CNY 0.9");
        Pricing price = Pricing.of(BigMoney.parse("CNY 6.5"), BillingIncrement.SECOND, Duration.ZERO);
        LeaseIntent intent = new LeaseIntent(
                new LeaseKey(Sample.ID, CANDIDATE, Phase.SINGLE, 1),
                new Offer(
                        new OfferId("offer"),
                        new ProviderId(CANDIDATE),
                        "sim-1",
                        "A100-SXM4-80G",
                        "A100",
                        1,
                        price,
                        "",
                        "",
                        Availability.YES),
                1,
                new LeaseTiming(at(2), at(120), at(230), reserved),
                reserved,
                "1",
                false);
        LeaseRow row = ((Grant.Granted) ledger.reserve(intent, "embedded:1")).lease();
        row = move(ledger, row, LeaseState.CREATING, LeaseChange.NONE.withSentAt(at(2)), 2);
        row = move(ledger, row, LeaseState.PROVISIONING, LeaseChange.NONE.withInstance(new InstanceId("i-1")), 3);
        row = move(ledger, row, LeaseState.READY, LeaseChange.NONE.withReadyAt(at(5)), 5);
        row = move(ledger, row, LeaseState.RELEASING, LeaseChange.NONE.withReleaseAskedAt(at(22)), 22);
        ledger.leaseEvent(row.id(), LeaseEvent.REFUSED, "busy", at(22));
        ledger.leaseEvent(row.id(), LeaseEvent.ABSENT, "not listed for a moment", at(22));
        ledger.leaseEvent(row.id(), LeaseEvent.PRESENT, "RUNNING", at(23));
        ledger.leaseEvent(row.id(), LeaseEvent.ASKED, "i-1", at(23));
        ledger.leaseEvent(row.id(), LeaseEvent.ABSENT, "", at(25));
        ledger.leaseEvent(row.id(), LeaseEvent.ABSENT, "", at(27));
        BigMoney cost = BigMoney.parse("CNY 0.045139");
        return move(
                ledger,
                row,
                LeaseState.RELEASED,
                LeaseChange.NONE.closed(at(27), cost, cost, BigMoney.parse("CNY 0")),
                27);
    }

    private static LeaseRow move(Ledger ledger, LeaseRow row, LeaseState to, LeaseChange change, int second) {
        return ledger.move(row.id(), row.fence(), to, change, to.name(), at(second))
                .orElseThrow();
    }

    private static void judged(Ledger ledger, LeaseRow lease) {
        ledger.startStage(new StageRunRow(
                "run-1",
                Sample.ID,
                CANDIDATE,
                Phase.SINGLE,
                1,
                StageName.ENVIRONMENT,
                lease.id(),
                1,
                "started",
                0,
                0,
                "",
                at(6),
                Optional.empty(),
                ""));
        String fact = "{\"type\":\"fact\",\"name\":\"gpus\",\"value\":[{\"name\":\"NVIDIA Something\"}]}";
        ledger.appendEvents("run-1", 0, 10, List.of(new StoredEvent(1, fact)), 1, "done");
        ledger.stageEnded("run-1", "ok", at(8));
        ledger.stageResult(
                Sample.ID,
                CANDIDATE,
                new StageResult(
                        "run-1",
                        Phase.SINGLE,
                        1,
                        StageName.ENVIRONMENT,
                        lease.id(),
                        1,
                        Verdict.FAIL,
                        "slow",
                        at(6),
                        Optional.of(at(8)),
                        List.of(Sample.metric(
                                "matmul_bf16_sustained", Optional.of("GPU-1"), 171, "TFLOP/s", 265, Verdict.FAIL)),
                        List.of()));
    }

    private static Instant at(int second) {
        return Sample.START.plusSeconds(second);
    }
}
