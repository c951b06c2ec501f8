package dev.seatrial.app.remote;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.workflow.StageRun;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** Writes what the payload is asked to do. */
final class StageSpec {
    private final ObjectMapper json;

    StageSpec(ObjectMapper json) {
        this.json = json;
    }

    /**
     * @param left time left of the stage's limit; the payload gets a little less, so that it ends by itself and says why
     * @param path a name in our folder to its path on the machine
     */
    String of(Plan plan, StageRun run, Duration left, UnaryOperator<String> path) {
        ObjectNode spec = json.createObjectNode();
        int gpus = run.target().gpus();
        boolean wantsGpu = plan.candidate(run.target().candidate()).wantsGpu() && gpus > 0;
        spec.put("stage", run.stage().word())
                .put("phase", run.target().phase().word())
                .put("limitSeconds", payloadSeconds(left))
                .put("quick", plan.preset().equals("quick"))
                .put("expectGpus", wantsGpu ? gpus : 0)
                .put("seed", 1);
        if (wantsGpu) {
            // Pinned even when it is the whole machine: a vendor may give more than was asked for.
            ArrayNode indexes = spec.putArray("gpus");
            for (int i = 0; i < gpus; i++) {
                indexes.add(i);
            }
        } else {
            spec.put("gpus", "none");
        }
        ObjectNode requires = spec.putObject("requires");
        plan.task().ifPresent(t -> t.requires().forEach(requires::put));
        storage(plan, spec.putObject("storage"), path);
        ArrayNode urls = spec.putObject("network").putArray("urls");
        plan.networkUrls().forEach(urls::add);
        spec.putObject("stability").put("seconds", plan.stability().toSeconds());
        if (run.stage() == StageName.TASK) {
            plan.task().ifPresent(t -> task(t, spec.putObject("task"), path));
        }
        return spec.toString();
    }

    /** A fifth, at most 15 s, is kept for noticing the end. */
    static double payloadSeconds(Duration left) {
        double seconds = left.toMillis() / 1000.0;
        return Math.max(1, seconds - Math.min(15, seconds / 5));
    }

    private static void storage(Plan plan, ObjectNode storage, UnaryOperator<String> path) {
        plan.storageDir().ifPresent(d -> storage.put("dir", d));
        if (plan.task().flatMap(TaskSpec::data).isPresent()) {
            storage.put("data", path.apply(TaskFiles.DATA));
        }
    }

    private static void task(TaskSpec task, ObjectNode out, UnaryOperator<String> path) {
        out.put("command", task.command());
        if (task.upload().isPresent()) {
            out.put("dir", path.apply(TaskFiles.TASK));
        }
        task.prepare().ifPresent(p -> out.put("prepare", p));
        out.put("limitSeconds", task.limit().toMillis() / 1000.0);
        ObjectNode env = out.putObject("env");
        if (task.data().isPresent()) {
            env.put("SEATRIAL_DATA", path.apply(TaskFiles.DATA));
        }
        ObjectNode metrics = out.putObject("metrics");
        task.metrics().forEach((name, m) -> metrics.putObject(name)
                .put("regex", m.regex())
                .put("unit", m.unit())
                .put("use", "last")
                .put("better", m.higherIsBetter() ? "higher" : "lower"));
    }
}
