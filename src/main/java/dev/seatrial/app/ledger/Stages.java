package dev.seatrial.app.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Statements on stages, their events, results and raw outputs. Each method runs inside the caller's transaction. */
final class Stages {
    /** Apart, so that a command which touches no result does not pay for its start. */
    private static final class Json {
        /** A newer version's extra fields must not make old results unreadable. */
        static final ObjectMapper MAPPER = JsonMapper.builder()
                .addModule(new Jdk8Module())
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    StageRunRow start(Handle h, StageRunRow row) {
        h.createUpdate("insert into stage_run (id, evaluation, candidate, phase, gpus, stage, lease, attempt, state,"
                        + " read_offset, progress, progress_text, started_at, ended_at, end_word) values (:id, :evaluation,"
                        + " :candidate, :phase, :gpus, :stage, :lease, :attempt, :state, :offset, :progress,"
                        + " :progressText, :startedAt, :endedAt, :end) on conflict (id) do nothing")
                .bind("id", row.id())
                .bind("evaluation", row.evaluation())
                .bind("candidate", row.candidate())
                .bind("phase", row.phase().word())
                .bind("gpus", row.gpus())
                .bind("stage", row.stage().word())
                .bind("lease", row.lease())
                .bind("attempt", row.attempt())
                .bind("state", row.state())
                .bind("offset", row.offset())
                .bind("progress", row.progress())
                .bind("progressText", row.progressText())
                .bind("startedAt", row.startedAt().toEpochMilli())
                .bind("endedAt", Rows.millis(row.endedAt()))
                .bind("end", row.end())
                .execute();
        return known(h, row.id());
    }

    Optional<StageRunRow> byId(Handle h, String id) {
        return h.createQuery("select * from stage_run where id = :id")
                .bind("id", id)
                .map((rs, context) -> Rows.stageRun(rs))
                .findOne();
    }

    List<StageRunRow> ofEvaluation(Handle h, String evaluation) {
        return h.createQuery("select * from stage_run where evaluation = :evaluation order by started_at, id")
                .bind("evaluation", evaluation)
                .map((rs, context) -> Rows.stageRun(rs))
                .list();
    }

    long append(
            Handle h, String run, long from, long to, List<StoredEvent> events, double progress, String progressText) {
        if (to < from) {
            throw Leases.invalid("the offset of stage " + run + " cannot go back from " + from + " to " + to);
        }
        int changed = h.createUpdate("update stage_run set read_offset = :to, progress = :progress,"
                        + " progress_text = :progressText where id = :id and read_offset = :from")
                .bind("to", to)
                .bind("progress", progress)
                .bind("progressText", progressText)
                .bind("id", run)
                .bind("from", from)
                .execute();
        if (changed == 0) {
            return known(h, run).offset();
        }
        if (!events.isEmpty()) {
            PreparedBatch batch =
                    h.prepareBatch("insert into stage_event (stage_run, seq, line) values (:run, :seq, :line)"
                            + " on conflict (stage_run, seq) do nothing");
            for (StoredEvent event : events) {
                batch.bind("run", run)
                        .bind("seq", event.seq())
                        .bind("line", capped(event.json()))
                        .add();
            }
            batch.execute();
        }
        return to;
    }

    List<StoredEvent> events(Handle h, String run) {
        return h.createQuery("select seq, line from stage_event where stage_run = :run order by seq")
                .bind("run", run)
                .map((rs, context) -> new StoredEvent(rs.getLong("seq"), rs.getString("line")))
                .list();
    }

    void ended(Handle h, String run, String end, Instant at) {
        known(h, run);
        h.createUpdate("update stage_run set state = case when state = 'judged' then state else 'ended' end,"
                        + " end_word = :end, ended_at = :at where id = :id and ended_at is null")
                .bind("end", end)
                .bind("at", at.toEpochMilli())
                .bind("id", run)
                .execute();
    }

    void result(Handle h, String evaluation, String candidate, StageResult result) {
        String run = result.stageRun();
        h.createUpdate("delete from measurement where stage_run = :run")
                .bind("run", run)
                .execute();
        h.createUpdate("delete from finding where stage_run = :run")
                .bind("run", run)
                .execute();
        h.createUpdate("insert into stage_result (stage_run, evaluation, candidate, phase, gpus, stage, lease, attempt,"
                        + " verdict, reason, started_at, ended_at) values (:run, :evaluation, :candidate, :phase, :gpus,"
                        + " :stage, :lease, :attempt, :verdict, :reason, :startedAt, :endedAt) on conflict (stage_run)"
                        + " do update set verdict = excluded.verdict, reason = excluded.reason,"
                        + " started_at = excluded.started_at, ended_at = excluded.ended_at")
                .bind("run", run)
                .bind("evaluation", evaluation)
                .bind("candidate", candidate)
                .bind("phase", result.phase().word())
                .bind("gpus", result.gpus())
                .bind("stage", result.stage().word())
                .bind("lease", result.lease())
                .bind("attempt", result.attempt())
                .bind("verdict", result.verdict().name())
                .bind("reason", result.reason())
                .bind("startedAt", result.startedAt().toEpochMilli())
                .bind("endedAt", Rows.millis(result.endedAt()))
                .execute();
        insertMeasurements(h, result);
        insertFindings(h, result);
        h.createUpdate("update stage_run set state = 'judged' where id = :run")
                .bind("run", run)
                .execute();
    }

    List<StageResult> results(Handle h, String evaluation, String candidate) {
        return h.createQuery("select * from stage_result where evaluation = :evaluation and candidate = :candidate"
                        + " order by started_at, stage_run")
                .bind("evaluation", evaluation)
                .bind("candidate", candidate)
                .map((rs, context) -> new StageResult(
                        rs.getString("stage_run"),
                        Phase.of(rs.getString("phase")),
                        rs.getInt("gpus"),
                        StageName.of(rs.getString("stage")),
                        rs.getString("lease"),
                        rs.getInt("attempt"),
                        Verdict.valueOf(rs.getString("verdict")),
                        rs.getString("reason"),
                        Rows.instant(rs, "started_at"),
                        Rows.optionalInstant(rs, "ended_at"),
                        details(h, "measurement", rs.getString("stage_run"), Measurement.class),
                        details(h, "finding", rs.getString("stage_run"), Finding.class)))
                .list();
    }

    void artifact(Handle h, ArtifactRow row, byte[] compressed) {
        h.createUpdate("insert into artifact (stage_run, name, sha256, bytes, content) values (:run, :name, :sha256,"
                        + " :bytes, :content) on conflict (stage_run, name) do update set sha256 = excluded.sha256,"
                        + " bytes = excluded.bytes, content = excluded.content")
                .bind("run", row.stageRun())
                .bind("name", row.name())
                .bind("sha256", row.sha256())
                .bind("bytes", row.bytes())
                .bind("content", compressed)
                .execute();
    }

    List<ArtifactRow> artifacts(Handle h, String run) {
        return h.createQuery("select stage_run, name, sha256, bytes from artifact where stage_run = :run order by name")
                .bind("run", run)
                .map((rs, context) -> new ArtifactRow(
                        rs.getString("stage_run"), rs.getString("name"), rs.getString("sha256"), rs.getLong("bytes")))
                .list();
    }

    Optional<byte[]> artifactContent(Handle h, String run, String name) {
        return h.createQuery("select content from artifact where stage_run = :run and name = :name")
                .bind("run", run)
                .bind("name", name)
                .map((rs, context) -> rs.getBytes("content"))
                .findOne();
    }

    static byte[] compress(byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(content, 0, Math.min(content.length, ArtifactRow.MAX_KEPT));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    static byte[] expand(byte[] compressed) {
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            return gzip.readNBytes(ArtifactRow.MAX_KEPT);
        } catch (IOException damaged) {
            throw new LedgerException(
                    LedgerException.Kind.BROKEN, "the ledger holds a raw output that cannot be read", damaged);
        }
    }

    private StageRunRow known(Handle h, String run) {
        return byId(h, run).orElseThrow(() -> Leases.invalid("the ledger has no stage run " + run));
    }

    private static String capped(String line) {
        return line.length() <= StoredEvent.MAX_LINE
                ? line
                : "{\"seatrial\":1,\"type\":\"dropped\",\"characters\":" + line.length() + "}";
    }

    private void insertMeasurements(Handle h, StageResult result) {
        if (result.measurements().isEmpty()) {
            return;
        }
        PreparedBatch batch =
                h.prepareBatch("insert into measurement (stage_run, position, name, gpu, value, unit, verdict,"
                        + " detail) values (:run, :position, :name, :gpu, :value, :unit, :verdict, :detail)");
        int position = 0;
        for (Measurement measurement : result.measurements()) {
            batch.bind("run", result.stageRun())
                    .bind("position", position++)
                    .bind("name", measurement.name())
                    .bind("gpu", measurement.gpu().orElse(null))
                    .bind("value", measurement.value())
                    .bind("unit", measurement.unit())
                    .bind("verdict", measurement.verdict().name())
                    .bind("detail", text(measurement))
                    .add();
        }
        batch.execute();
    }

    private void insertFindings(Handle h, StageResult result) {
        if (result.findings().isEmpty()) {
            return;
        }
        PreparedBatch batch = h.prepareBatch("insert into finding (stage_run, position, code, severity, owner, detail)"
                + " values (:run, :position, :code, :severity, :owner, :detail)");
        int position = 0;
        for (Finding finding : result.findings()) {
            batch.bind("run", result.stageRun())
                    .bind("position", position++)
                    .bind("code", finding.code())
                    .bind("severity", finding.severity().word())
                    .bind("owner", finding.owner().word())
                    .bind("detail", text(finding))
                    .add();
        }
        batch.execute();
    }

    private <T> List<T> details(Handle h, String table, String run, Class<T> type) {
        return h.createQuery("select detail from " + table + " where stage_run = :run order by position")
                .bind("run", run)
                .map((rs, context) -> read(rs.getString("detail"), type))
                .list();
    }

    private String text(Object value) {
        try {
            return Json.MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a result could not be written as JSON", impossible);
        }
    }

    private <T> T read(String text, Class<T> type) {
        try {
            return Json.MAPPER.readValue(text, type);
        } catch (JsonProcessingException damaged) {
            throw new LedgerException(
                    LedgerException.Kind.BROKEN,
                    "the ledger holds a result that cannot be read: " + damaged.getOriginalMessage(),
                    damaged);
        }
    }
}
