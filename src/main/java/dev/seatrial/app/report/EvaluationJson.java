package dev.seatrial.app.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.report.ReportModel.Lease;
import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.StageResult;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Optional;

/**
 * The one JSON document of an evaluation, as published: money as strings in plain notation, instants in UTC, {@code null}
 * for what is not known (yet). Texts are English, one line and free of control characters.
 */
final class EvaluationJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int WORD = 200;
    private static final int SENTENCE = 2_000;

    private EvaluationJson() {}

    static ObjectNode of(ReportModel model) {
        ObjectNode root = NODES.objectNode();
        root.put("evaluation", model.evaluation().id());
        root.put("plan", HostileText.line(model.evaluation().planName(), WORD));
        root.put("status", model.evaluation().status().word());
        root.put("simulated", model.allSimulated());
        ObjectNode budget = root.putObject("budget");
        budget.put("cap", Amounts.exact(model.cap(), 2));
        budget.put("currency", model.cap().getCurrencyUnit().getCode());
        budget.put("spent", Amounts.exact(model.spend().spent(), 4));
        budget.put("reserved", Amounts.exact(model.spend().reserved(), 4));
        budget.put("overrun", Amounts.exact(model.spend().overrun(), 4));
        ArrayNode trials = root.putArray("trials");
        model.trials().forEach(t -> trials.add(trial(t)));
        return root;
    }

    private static ObjectNode trial(Trial trial) {
        ObjectNode node = NODES.objectNode();
        node.put("candidate", HostileText.line(trial.row().candidate(), WORD));
        node.put("provider", HostileText.line(trial.row().provider(), WORD));
        node.put("verdict", trial.row().verdict().map(Enum::name).orElse(null));
        node.put("reason", HostileText.line(trial.row().reason(), SENTENCE));
        node.put(
                "stoppedAt",
                trial.row().stoppedAt().map(at -> HostileText.line(at, WORD)).orElse(null));
        ObjectNode coverage = node.putObject("coverage");
        coverage.put("environment", trial.row().coverage().environment().word());
        coverage.put("performance", trial.row().coverage().performance().word());
        coverage.put("stability", trial.row().coverage().stability().word());
        ArrayNode leases = node.putArray("leases");
        trial.leases().forEach(l -> leases.add(lease(l)));
        ArrayNode stages = node.putArray("stages");
        trial.stages().forEach(s -> stages.add(stage(s)));
        trial.unjudged().forEach(r -> stages.add(running(r)));
        return node;
    }

    private static ObjectNode lease(Lease lease) {
        LeaseRow row = lease.row();
        ObjectNode node = NODES.objectNode();
        node.put("lease", row.id());
        node.put("phase", row.phase().word());
        node.put("gpus", row.gpus());
        node.put(
                "instance",
                row.instance().map(i -> HostileText.line(i.value(), WORD)).orElse(null));
        node.put("state", row.state().name());
        node.put("requestedAt", row.timing().requestedAt().toString());
        node.put("readyAt", text(row.readyAt()));
        node.put("releasedAt", text(row.releasedAt()));
        // What never existed has cost nothing; what is open is not billed to the end yet.
        node.put(
                "cost",
                row.cost()
                        .map(c -> Amounts.exact(c, 4))
                        .orElse(row.state() == LeaseState.NOT_CREATED ? "0.0000" : null));
        node.put("currency", row.pricing().hourly().getCurrencyUnit().getCode());
        return node;
    }

    private static ObjectNode stage(StageResult stage) {
        ObjectNode node = NODES.objectNode();
        node.put("phase", stage.phase().word());
        node.put("stage", stage.stage().word());
        node.put("verdict", stage.verdict().name());
        node.put("startedAt", stage.startedAt().toString());
        node.put("endedAt", text(stage.endedAt()));
        ArrayNode measurements = node.putArray("measurements");
        stage.measurements().forEach(m -> measurements.add(measurement(m)));
        ArrayNode findings = node.putArray("findings");
        stage.findings().forEach(f -> findings.add(finding(f)));
        return node;
    }

    private static ObjectNode running(StageRunRow run) {
        ObjectNode node = NODES.objectNode();
        node.put("phase", run.phase().word());
        node.put("stage", run.stage().word());
        node.putNull("verdict");
        node.put("startedAt", run.startedAt().toString());
        node.put("endedAt", text(run.endedAt()));
        node.putArray("measurements");
        node.putArray("findings");
        return node;
    }

    private static ObjectNode measurement(Measurement m) {
        ObjectNode node = NODES.objectNode();
        node.put("name", HostileText.line(m.name(), WORD));
        node.put("gpu", m.gpu().map(g -> HostileText.line(g, WORD)).orElse(null));
        node.put("value", number(m.value()));
        node.put("unit", HostileText.line(m.unit(), WORD));
        node.put("samples", m.samples());
        node.put("cv", number(m.cv()));
        if (m.reference().isPresent()) {
            Reference r = m.reference().get();
            ObjectNode reference = node.putObject("reference");
            reference.put("value", number(r.value()));
            reference.put("source", HostileText.line(r.source(), SENTENCE));
            reference.put("date", HostileText.line(r.date(), WORD));
            reference.put("quality", HostileText.line(r.quality(), WORD));
            reference.put("tolerance", number(r.tolerance()));
        } else {
            node.putNull("reference");
        }
        node.put("ratio", m.ratio().map(EvaluationJson::number).orElse(null));
        node.put("verdict", m.verdict().name());
        return node;
    }

    private static ObjectNode finding(Finding f) {
        ObjectNode node = NODES.objectNode();
        node.put("code", HostileText.line(f.code(), WORD));
        node.put("severity", f.severity().word());
        node.put("owner", f.owner().word());
        node.put("message", HostileText.line(f.message(), SENTENCE));
        return node;
    }

    /** Six significant digits: more is noise. JSON has no infinity and no NaN. */
    private static @org.jspecify.annotations.Nullable Double number(double value) {
        return Double.isFinite(value)
                ? (Double) new BigDecimal(value)
                        .round(new MathContext(6, RoundingMode.HALF_UP))
                        .doubleValue()
                : null;
    }

    private static @org.jspecify.annotations.Nullable String text(Optional<Instant> at) {
        return at.map(Instant::toString).orElse(null);
    }
}
