package dev.seatrial.app.plan;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.config.Messages;
import dev.seatrial.app.config.Problem;
import dev.seatrial.app.config.ProblemsException;
import dev.seatrial.app.config.SchemaCheck;
import dev.seatrial.app.config.YamlFile;
import dev.seatrial.app.config.YamlTree;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads YAML plans: form by the published schema, sense by {@link PlanReader}. Every problem is told at once. */
public final class YamlPlanLoader implements PlanLoader {
    /** The published schema, on the class path. */
    public static final String SCHEMA = "plan/plan.schema.json";

    private final InstantSource clock;
    private final ZoneId zone;
    private final GpuCatalogue gpus;
    private final Messages yamlWords;
    private final Messages words;
    private final SchemaCheck schema;

    /**
     * @param clock what {@code limits.until} counts from
     * @param zone zone of {@code limits.until} where a plan names none
     * @param locale language of the problems
     */
    public YamlPlanLoader(InstantSource clock, ZoneId zone, GpuCatalogue gpus, Locale locale) {
        this.clock = clock;
        this.zone = zone;
        this.gpus = gpus;
        this.yamlWords = new Messages("config.yaml", locale);
        this.words = new Messages("plan.messages", locale);
        this.schema = new SchemaCheck(SCHEMA, new Messages("config.schema", locale));
    }

    @Override
    public Plan load(Path file) throws PlanException {
        YamlTree tree;
        try {
            tree = YamlFile.read(file, file.toString(), yamlWords);
        } catch (ProblemsException e) {
            throw exception(e.problems());
        }
        return plan(tree, file);
    }

    /**
     * A plan that came as text.
     *
     * @param file what it is called in problems; paths in it are relative to this file's directory
     */
    public Plan parse(String text, Path file) throws PlanException {
        try {
            return plan(YamlFile.parse(text, file.toString(), yamlWords), file);
        } catch (ProblemsException e) {
            throw exception(e.problems());
        }
    }

    private Plan plan(YamlTree tree, Path file) throws PlanException {
        List<Problem> problems = new ArrayList<>(schema.problems(tree));
        Reading reading = new Reading(tree, words);
        Path directory = Optional.ofNullable(file.toAbsolutePath().normalize().getParent())
                .orElseThrow(() -> new IllegalArgumentException("a file has a directory: " + file));
        Optional<Plan> plan = new PlanReader(reading, gpus, clock, zone, directory).read();
        problems.addAll(reading.problems());
        if (!problems.isEmpty() || plan.isEmpty()) {
            throw exception(problems);
        }
        return plan.get();
    }

    private static PlanException exception(List<Problem> problems) {
        return new PlanException(problems.stream()
                .sorted(Problem.BY_POSITION)
                .map(p -> new PlanException.PlanError(p.file(), p.line(), p.column(), p.path(), p.message(), p.hint()))
                .toList());
    }
}
