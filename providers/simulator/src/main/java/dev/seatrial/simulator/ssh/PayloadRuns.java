package dev.seatrial.simulator.ssh;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.Profile;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The stages of one machine, as its payload would tell of them. Progress follows from the clock. Thread-safe. */
final class PayloadRuns {
    private static final int POLL_CAP = 256 << 10;
    private static final DateTimeFormatter STAMP =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private final Profile profile;
    private final InstantSource clock;
    private final String machine;
    private final int gpus;
    private final Map<String, Run> runs = new LinkedHashMap<>();

    PayloadRuns(Profile profile, InstantSource clock, String machine, int gpus) {
        this.profile = profile;
        this.clock = clock;
        this.machine = machine;
        this.gpus = gpus;
    }

    /** Starts a stage, or attaches to it. Returns the line to print. */
    synchronized String run(String stage, String id, JsonNode spec) {
        Run run = runs.get(id);
        String state = run == null ? "started" : run.ended(clock.instant()) ? "ended" : "attached";
        if (run == null) {
            StageScript.Script script = new StageScript(profile, stage, spec, machine, gpus).write();
            run = new Run(clock.instant(), spec, script, 1000 + runs.size());
            runs.put(id, run);
        }
        return line("run").put("id", id).put("state", state).put("pid", run.pid).toString();
    }

    /** New events from a byte offset on, and where the stage is; lost for an unknown id. */
    synchronized String poll(String id, long from) {
        Run run = runs.get(id);
        if (run == null) {
            ObjectNode lost = line("poll").put("id", id).put("from", 0).put("offset", 0);
            return lost.put("state", "lost").put("alive", false).toString();
        }
        Instant now = clock.instant();
        byte[] all = run.events(now);
        int start = (int) Math.max(0, Math.min(from, all.length));
        while (start > 0 && all[start - 1] != '\n') {
            start--;
        }
        int stop = wholeLines(all, start);
        boolean ended = run.ended(now);
        ObjectNode last = line("poll").put("id", id).put("from", start).put("offset", stop);
        last.put("state", ended && stop == all.length ? "ended" : "running").put("alive", !ended);
        return new String(all, start, stop - start, StandardCharsets.UTF_8) + last;
    }

    private static int wholeLines(byte[] all, int start) {
        if (all.length - start <= POLL_CAP) {
            return all.length;
        }
        int stop = start + POLL_CAP;
        while (stop > start && all[stop - 1] != '\n') {
            stop--;
        }
        return stop;
    }

    /** Ends a stage; an unknown one counts as ended. */
    synchronized String stop(String id) {
        Run run = runs.get(id);
        if (run != null && !run.ended(clock.instant())) {
            run.stopped = Optional.of(clock.instant());
        }
        ObjectNode line = line("stop").put("id", id).put("stopped", true);
        line.putArray("left");
        return line.toString();
    }

    /** Raw outputs as a tar; empty for an unknown id. */
    synchronized Optional<byte[]> collect(String id) {
        Run run = runs.get(id);
        if (run == null) {
            return Optional.empty();
        }
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put(id + "/spec.json", run.spec.toString().getBytes(StandardCharsets.UTF_8));
        files.put(id + "/events.jsonl", run.events(clock.instant()));
        files.put(id + "/" + run.script.raw().name(), run.script.raw().content());
        return Optional.of(Tar.of(files));
    }

    /** Ends and forgets everything. */
    synchronized String clean() {
        runs.clear();
        ObjectNode line = line("clean").put("removed", true);
        line.putArray("left");
        return line.toString();
    }

    /** A line of output that a reader can tell from chatter. */
    static ObjectNode line(String type) {
        return JsonNodeFactory.instance.objectNode().put("seatrial", 1).put("type", type);
    }

    private static final class Run {
        private final Instant start;
        private final JsonNode spec;
        private final StageScript.Script script;
        private final int pid;
        private Optional<Instant> stopped = Optional.empty();

        Run(Instant start, JsonNode spec, StageScript.Script script, int pid) {
            this.start = start;
            this.spec = spec;
            this.script = script;
            this.pid = pid;
        }

        boolean ended(Instant now) {
            List<StageScript.Line> lines = script.lines();
            return stopped.isPresent()
                    || !now.isBefore(start.plus(lines.get(lines.size() - 1).at()));
        }

        byte[] events(Instant now) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Instant until = stopped.filter(now::isAfter).orElse(now);
            int seq = 1;
            for (StageScript.Line line : script.lines()) {
                Instant at = start.plus(line.at());
                if (at.isAfter(until)) {
                    break;
                }
                write(out, seq++, at, line.fields());
            }
            if (stopped.isPresent()) {
                ObjectNode end =
                        StageScript.event("end").put("status", "stopped").put("why", "stopped on request");
                write(out, seq, stopped.get(), end);
            }
            return out.toByteArray();
        }

        private static void write(ByteArrayOutputStream out, int seq, Instant at, ObjectNode fields) {
            ObjectNode whole =
                    JsonNodeFactory.instance.objectNode().put("seatrial", 1).put("seq", seq);
            whole.put("at", STAMP.format(at));
            whole.setAll(fields);
            out.writeBytes((whole + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }
}
