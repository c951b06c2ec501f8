package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportContentTest {
    @TempDir
    Path home;

    private DefaultReports of(FixedLedger ledger) {
        return new DefaultReports(ledger.port(), home, json -> Sample.plan());
    }

    @Test
    void theJsonDocumentHasThePublishedFieldsAndNoOthers() {
        ObjectNode root = of(Sample.quickstart()).json(Sample.ID);
        assertThat(names(root)).containsExactly("evaluation", "plan", "status", "simulated", "budget", "trials");
        assertThat(names(root.path("budget"))).containsExactly("cap", "currency", "spent", "reserved", "overrun");
        JsonNode trial = root.path("trials").path(0);
        assertThat(names(trial))
                .containsExactly(
                        "candidate", "provider", "verdict", "reason", "stoppedAt", "coverage", "leases", "stages");
        assertThat(trial.path("stoppedAt").isNull()).isTrue();
        assertThat(root.path("trials").path(1).path("stoppedAt").asText()).isEqualTo("single/compute");
        assertThat(names(trial.path("coverage"))).containsExactly("environment", "performance", "stability");
        assertThat(names(trial.path("leases").path(0)))
                .containsExactly(
                        "lease",
                        "phase",
                        "gpus",
                        "instance",
                        "state",
                        "requestedAt",
                        "readyAt",
                        "releasedAt",
                        "cost",
                        "currency");
        JsonNode stage = trial.path("stages").path(1);
        assertThat(names(stage))
                .containsExactly("phase", "stage", "verdict", "startedAt", "endedAt", "measurements", "findings");
        JsonNode figure = stage.path("measurements").path(0);
        assertThat(names(figure))
                .containsExactly("name", "gpu", "value", "unit", "samples", "cv", "reference", "ratio", "verdict");
        assertThat(names(figure.path("reference"))).containsExactly("value", "source", "date", "quality", "tolerance");
        assertThat(figure.path("value").asDouble()).isEqualTo(271.3);
        assertThat(names(root.path("trials")
                        .path(1)
                        .path("stages")
                        .path(1)
                        .path("findings")
                        .path(0)))
                .containsExactly("code", "severity", "owner", "message");
    }

    @Test
    void moneyIsExactTextAndItsPartsAddUp() {
        ObjectNode root = of(Sample.quickstart()).json(Sample.ID);
        assertThat(root.path("budget").path("cap").asText()).isEqualTo("20.00");
        assertThat(root.path("budget").path("reserved").asText()).isEqualTo("0.0000");
        BigMoney sum = BigMoney.parse("CNY 0");
        for (JsonNode trial : root.path("trials")) {
            for (JsonNode lease : trial.path("leases")) {
                assertThat(lease.path("cost").asText()).matches("[0-9]+\\.[0-9]{4,}");
                sum = sum.plus(BigMoney.parse("CNY " + lease.path("cost").asText()));
            }
        }
        assertThat(sum.isEqual(BigMoney.parse(
                        "CNY " + root.path("budget").path("spent").asText())))
                .isTrue();
    }

    @Test
    void whatIsNotKnownYetIsNull() {
        FixedLedger ledger = running();
        JsonNode trial = of(ledger).json(Sample.ID).path("trials").path(0);
        assertThat(trial.path("verdict").isNull()).isTrue();
        JsonNode lease = trial.path("leases").path(0);
        assertThat(lease.path("releasedAt").isNull()).isTrue();
        assertThat(lease.path("cost").isNull()).isTrue();
    }

    @Test
    void anOpenLeaseIsSaidLoudlyAndTheNextCommandsAreAboutIt() throws IOException {
        DefaultReports reports = of(running());
        String text = reports.text(Sample.ID, Locale.ENGLISH, 120, false);
        assertThat(text)
                .contains("NO: 1 of 1 open")
                .contains("Not every lease is proven released")
                .contains("./seatrial leases")
                .contains("./seatrial cancel " + Sample.ID);
        assertThat(Files.readString(reports.write(Sample.ID, Locale.ENGLISH)))
                .contains("may still exist and bill")
                .doesNotContain("proven gone");
    }

    @Test
    void aBorrowedMachineIsNeverProvenGoneAndItsReturnCanBeConfirmed() throws IOException {
        FixedLedger ledger = running();
        ledger.evaluation = status(ledger.evaluation, EvaluationStatus.COMPLETED);
        ledger.leases.clear();
        String id = Sample.lease(ledger, "sim-steady", Phase.SINGLE, 1, 1, LeaseState.HANDED_BACK, "9", "0.1", 2, 25)
                .id();
        DefaultReports reports = of(ledger);
        assertThat(reports.text(Sample.ID, Locale.ENGLISH, 120, false))
                .contains("handed back, to be confirmed")
                .contains("./seatrial release " + id);
        assertThat(Files.readString(reports.write(Sample.ID, Locale.ENGLISH)))
                .contains("return to be confirmed")
                .doesNotContain("proven gone");

        ledger.events
                .get(id)
                .add(new LeaseEvent(id, 99, Sample.START.plusSeconds(90), LeaseEvent.RETURN_CONFIRMED, "by user"));
        assertThat(reports.text(Sample.ID, Locale.ENGLISH, 120, false))
                .contains("yes, 1 of 1")
                .doesNotContain("./seatrial release");
    }

    @Test
    void anInterruptedEvaluationNamesItsResume() {
        FixedLedger ledger = running();
        ledger.evaluation = status(ledger.evaluation, EvaluationStatus.INTERRUPTED);
        assertThat(of(ledger).text(Sample.ID, Locale.ENGLISH, 120, false))
                .contains("./seatrial leases")
                .contains("./seatrial sweep")
                .contains("./seatrial resume " + Sample.ID);
    }

    @Test
    void simulatedCandidatesAreMarkedAmongRealOnes() throws IOException {
        FixedLedger ledger = Sample.quickstart();
        EvaluationRow e = ledger.evaluation;
        ledger.evaluation = new EvaluationRow(
                e.id(),
                e.planName(),
                e.planHash(),
                e.planJson(),
                e.status(),
                false,
                e.owner(),
                e.startedAt(),
                e.endedAt(),
                e.note());
        TrialRow t = ledger.trials.get(0);
        ledger.trials.set(
                0,
                new TrialRow(
                        t.evaluation(),
                        t.candidate(),
                        t.provider(),
                        t.position(),
                        false,
                        t.state(),
                        t.phase(),
                        t.stage(),
                        t.singleDone(),
                        t.singleEarmark(),
                        t.verdict(),
                        t.reason(),
                        t.stoppedAt(),
                        t.coverage()));
        DefaultReports reports = of(ledger);
        assertThat(reports.json(Sample.ID).path("simulated").asBoolean()).isFalse();
        assertThat(reports.text(Sample.ID, Locale.ENGLISH, 140, false))
                .contains("PARTLY SIMULATED (模拟): sim-discount, sim-flaky")
                .contains("sim-flaky (SIMULATED)")
                .doesNotContain("sim-steady (SIMULATED)");
        assertThat(Files.readString(reports.write(Sample.ID, Locale.SIMPLIFIED_CHINESE)))
                .contains("部分模拟")
                .doesNotContain("class=\"watermark\"");
    }

    @Test
    void everySimulatedFileSaysSo() throws IOException {
        DefaultReports reports = of(Sample.quickstart());
        for (Locale locale : List.of(Locale.ENGLISH, Locale.SIMPLIFIED_CHINESE)) {
            Path html = reports.write(Sample.ID, locale);
            try (var files = Files.list(html.getParent())) {
                for (Path file : files.toList()) {
                    assertThat(Files.readString(file)).as(file.toString()).containsIgnoringCase("simulated");
                }
            }
            assertThat(Files.readString(html)).contains("class=\"watermark\"").contains("模拟");
            assertThat(reports.text(Sample.ID, locale, 100, false))
                    .contains("SIMULATED")
                    .contains("模拟");
        }
    }

    @Test
    void theGateSavesNothingWhereItStoppedNothing() {
        FixedLedger ledger = Sample.quickstart();
        ledger.trials.set(
                1,
                Sample.trial(
                        "sim-discount",
                        1,
                        Optional.of(Verdict.UNKNOWN),
                        "cap reached",
                        Optional.of("budget"),
                        Sample.TESTED));
        assertThat(of(ledger).text(Sample.ID, Locale.ENGLISH, 140, false)).doesNotContain("What the gate saved");
    }

    @Test
    void theGateSavesTheRungsAtTheSingleLeasesPricePerGpu() {
        ReportModel model = new ReportReader(Sample.quickstart().port(), json -> Sample.plan()).read(Sample.ID);
        assertThat(model.savings()).hasSize(1);
        // 30 s to prepare, three stages of 20 + 10 s, one repeat: 150 s at 6.50 an hour for 2 and for 8 GPUs.
        assertThat(model.savings().get(0).amount().isEqual(BigMoney.parse("CNY 2.708334")))
                .as(model.savings().toString())
                .isTrue();
    }

    @Test
    void aSweepOverSizesIsToldByItsLargest() {
        Comparison comparison =
                Comparison.of(new ReportReader(Sample.quickstart().port(), json -> Sample.plan())
                        .read(Sample.ID)
                        .trials());
        Comparison.Row row = comparison.sections().stream()
                .flatMap(s -> s.rows().stream())
                .filter(r -> r.name().equals("allreduce_busbw"))
                .findFirst()
                .orElseThrow();
        assertThat(row.cells().get("sim-steady")).satisfies(c -> {
            assertThat(c.figures()).isEqualTo(1);
            assertThat(c.median()).isEqualTo(232.4);
        });
    }

    private static FixedLedger running() {
        FixedLedger ledger = new FixedLedger(
                status(Sample.quickstart().evaluation, EvaluationStatus.RUNNING), BigMoney.parse("CNY 20"));
        ledger.trials.add(Sample.trial("sim-steady", 0, Optional.empty(), "", Optional.empty(), Coverage.NOTHING));
        Sample.lease(ledger, "sim-steady", Phase.SINGLE, 1, 1, LeaseState.READY, "9", "0", 2, 25);
        return ledger;
    }

    private static EvaluationRow status(EvaluationRow e, EvaluationStatus status) {
        return new EvaluationRow(
                e.id(),
                e.planName(),
                e.planHash(),
                e.planJson(),
                status,
                e.simulated(),
                e.owner(),
                e.startedAt(),
                status.ended() ? e.endedAt() : Optional.empty(),
                e.note());
    }

    private static List<String> names(JsonNode node) {
        List<String> names = new java.util.ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
