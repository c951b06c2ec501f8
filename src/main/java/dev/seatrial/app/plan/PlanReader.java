package dev.seatrial.app.plan;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.bench.Policy;
import dev.seatrial.app.config.Guess;
import dev.seatrial.app.config.YamlTree.At;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.OnFail;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.domain.plan.WorkTime;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** Makes a complete plan of a document: defaults filled in, sense checked. */
final class PlanReader {
    private static final String DATED = "[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]([01][0-9]|2[0-3]):[0-5][0-9]";

    private final Reading reading;
    private final GpuCatalogue gpus;
    private final InstantSource clock;
    private final ZoneId zone;
    private final Path directory;

    PlanReader(Reading reading, GpuCatalogue gpus, InstantSource clock, ZoneId zone, Path directory) {
        this.reading = reading;
        this.gpus = gpus;
        this.clock = clock;
        this.zone = zone;
        this.directory = directory;
    }

    /** Empty when the document does not hold what a plan needs; the schema or the reading says what. */
    Optional<Plan> read() {
        At root = reading.root();
        Optional<String> name = root.field("plan").text();
        Preset preset = root.field("preset").text().flatMap(Preset::of).orElse(Preset.STANDARD);
        Optional<Budget> budget = budget(root.field("budget"));
        Optional<TaskSpec> task = new TaskReader(reading, directory).read(root.field("task"));
        boolean taskGiven = root.field("task").present();

        Optional<MultiPhase> explicitMulti = multi(root.field("phases").field("multi"), preset);
        boolean gpuFree = gpuFree(root);
        Optional<MultiPhase> multi = root.field("phases").field("multi").present()
                ? explicitMulti
                : gpuFree ? Optional.empty() : preset.multi();
        int largest = multi.map(m -> m.gpus().get(m.gpus().size() - 1)).orElse(1);
        List<Candidate> candidates = candidates(root, budget, largest);
        List<StageName> single = single(root.field("phases").field("single"), preset, multi, taskGiven, gpuFree);
        gpuSense(root, candidates, single);
        Duration stability = stability(root.field("stability"), preset, single, multi);
        Optional<OnFail> onFail = budget.flatMap(b -> onFail(root.field("onFail"), b));
        Optional<Limits> limits =
                limits(root.field("limits"), preset, stability, runs(single, multi), task.map(TaskSpec::limit), onFail);
        taskSense(root, single, multi);
        Duration approval = reading.duration(root.field("phases").field("multi").field("approveWithin"))
                .orElse(Duration.ofHours(12));
        List<String> urls = root.field("network").field("urls").items().stream()
                .flatMap(u -> u.text().stream())
                .toList();
        Optional<String> storage = root.field("storage").field("dir").text();
        Set<String> accept = new HashSet<>();
        root.field("accept").items().forEach(a -> a.text().ifPresent(accept::add));

        Map<String, TaskSpec.Expectation> expect = expectations(root.field("expect"));

        if (name.isEmpty() || budget.isEmpty() || limits.isEmpty() || candidates.isEmpty()) {
            return Optional.empty();
        }
        Function<Limits, Plan> make = l -> new Plan(
                name.get(),
                "",
                preset.word(),
                budget.get(),
                candidates,
                single,
                multi,
                stability,
                task,
                urls,
                storage,
                l,
                accept,
                approval,
                expect);
        return Optional.of(PlanJson.hashed(make.apply(evaluation(make.apply(limits.get())))));
    }

    /** Bounds of the trial's own figures; those of the task's are under task. */
    private Map<String, TaskSpec.Expectation> expectations(At at) {
        Policy policy = Policy.load();
        Map<String, TaskSpec.Expectation> expect = new HashMap<>();
        for (At bound : at.fields()) {
            if (policy.rule(bound.name()).isEmpty()) {
                reading.hinted(
                        bound,
                        "plan.expect",
                        Guess.of(bound.name(), Policy.METRICS)
                                .map(g -> reading.text("plan.guess", g))
                                .orElse(reading.text("plan.expect.metrics", String.join(", ", Policy.METRICS))),
                        bound.name());
            }
            expect.put(bound.name(), TaskReader.bounds(reading, bound));
        }
        return expect;
    }

    /** Where the plan does not say, there is time for all of it; where it does, at least for one GPU. */
    private Limits evaluation(Plan plan) {
        At stated = reading.root().field("limits").field("evaluation");
        Limits limits = plan.limits();
        Duration single = WorkTime.single(plan);
        if (stated.present()) {
            if (limits.evaluation().compareTo(single) < 0) {
                reading.problem(stated, "plan.evaluation.short", Durations.format(single));
            }
            return limits;
        }
        Duration rungs = plan.multi()
                .map(m -> WorkTime.rung(plan)
                        .plus(limits.provisioning())
                        .multipliedBy(m.gpus().size())
                        .plus(m.approve() ? plan.approvalTimeout() : Duration.ZERO))
                .orElse(Duration.ZERO);
        Duration needed = limits.provisioning().plus(single).plus(rungs);
        Duration hours = Duration.ofHours(needed.toHours() + 1);
        return new Limits(
                limits.provisioning(),
                hours.compareTo(limits.evaluation()) > 0 ? hours : limits.evaluation(),
                limits.until(),
                limits.stages(),
                limits.onFail());
    }

    private Optional<Budget> budget(At at) {
        Optional<CurrencyUnit> currency = reading.currency(at.field("currency"));
        Map<String, BigDecimal> fx = new HashMap<>();
        for (At rate : at.field("fx").fields()) {
            Optional<CurrencyUnit> foreign =
                    rate.name().matches("[A-Z]{3}") ? reading.currency(rate, rate.name()) : Optional.empty();
            Optional<BigDecimal> number = rate.number().filter(n -> n.signum() > 0);
            if (foreign.isPresent() && foreign.equals(currency)) {
                reading.problem(rate, "plan.fx.self", rate.name());
            } else if (foreign.isPresent() && number.isPresent()) {
                fx.put(rate.name(), number.get().stripTrailingZeros());
            }
        }
        return currency.flatMap(c -> reading.money(at.field("cap"), c))
                .filter(BigMoney::isPositive)
                .map(cap -> new Budget(cap, fx));
    }

    private List<Candidate> candidates(At root, Optional<Budget> budget, int largest) {
        CandidateReader reader = new CandidateReader(reading, gpus, root.field("gpu"), budget, largest);
        List<Candidate> candidates = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (At item : root.field("candidates").items()) {
            reader.read(item).ifPresent(candidate -> {
                if (!names.add(candidate.name())) {
                    reading.problem(
                            item.field("name").present() ? item.field("name") : item.field("provider"),
                            "plan.candidate.twice",
                            candidate.name());
                }
                candidates.add(candidate);
            });
        }
        return candidates;
    }

    private static boolean gpuFree(At root) {
        List<At> candidates = root.field("candidates").items();
        return !candidates.isEmpty()
                && candidates.stream()
                        .map(c ->
                                c.field("gpu").text().or(() -> root.field("gpu").text()))
                        .allMatch(g -> g.map(CandidateReader::isNone).orElse(false));
    }

    /** A plan with and without GPUs at once could not be compared. */
    private void gpuSense(At root, List<Candidate> candidates, List<StageName> single) {
        long without = candidates.stream().filter(c -> !c.wantsGpu()).count();
        At multi = root.field("phases").field("multi");
        if (without > 0 && without < candidates.size()) {
            reading.problem(root.field("candidates"), "plan.gpu.mixed");
        } else if (without > 0 && multi.node().isObject()) {
            reading.problem(multi, "plan.gpu.multi");
        } else if (without > 0 && single.contains(StageName.STABILITY)) {
            At stages = root.field("phases").field("single").field("stages");
            reading.problem(stages.present() ? stages : root.field("preset"), "plan.gpu.stability");
        }
    }

    private List<StageName> single(
            At at, Preset preset, Optional<MultiPhase> multi, boolean taskGiven, boolean gpuFree) {
        At stages = at.field("stages");
        List<StageName> named = stages(stages);
        if (named.contains(StageName.INTERCONNECT)) {
            reading.problem(stages, "plan.single.interconnect");
        }
        if (!named.isEmpty()) {
            return ordered(named);
        }
        List<StageName> all = new ArrayList<>(preset.single());
        if (preset.loads() && multi.isEmpty() && !gpuFree) {
            all.add(StageName.STABILITY);
        }
        if (taskGiven && multi.stream().noneMatch(m -> m.stages().contains(StageName.TASK))) {
            all.add(StageName.TASK);
        }
        return ordered(all);
    }

    private Optional<MultiPhase> multi(At at, Preset preset) {
        if (!at.node().isObject()) {
            return Optional.empty();
        }
        boolean approve = at.field("escalate").text().filter("approve"::equals).isPresent();
        if (at.field("approveWithin").present() && !approve) {
            reading.problem(at.field("approveWithin"), "plan.approve");
        }
        List<Integer> counts = at.field("gpus").items().stream()
                .flatMap(n -> n.integer().stream())
                .filter(n -> n >= 2)
                .sorted()
                .distinct()
                .toList();
        if (counts.isEmpty()) {
            return Optional.empty();
        }
        List<StageName> named = stages(at.field("stages"));
        return Optional.of(new MultiPhase(counts, named.isEmpty() ? preset.multiStages() : ordered(named), approve));
    }

    private static List<StageName> stages(At at) {
        return at.items().stream()
                .flatMap(s -> s.text().stream())
                .flatMap(word ->
                        Stream.of(StageName.values()).filter(s -> s.word().equals(word)))
                .toList();
    }

    /** The environment is looked at first in every phase, whether a plan names it or not. */
    private static List<StageName> ordered(List<StageName> stages) {
        return Stream.concat(Stream.of(StageName.ENVIRONMENT), stages.stream())
                .distinct()
                .sorted()
                .toList();
    }

    private static Set<StageName> runs(List<StageName> single, Optional<MultiPhase> multi) {
        Set<StageName> all = new LinkedHashSet<>(single);
        multi.ifPresent(m -> all.addAll(m.stages()));
        return all;
    }

    private Duration stability(At at, Preset preset, List<StageName> single, Optional<MultiPhase> multi) {
        if (at.present() && !runs(single, multi).contains(StageName.STABILITY)) {
            reading.problem(at, "plan.stability.unused");
        }
        return reading.duration(at.field("duration")).orElse(preset.stability());
    }

    private void taskSense(At root, List<StageName> single, Optional<MultiPhase> multi) {
        boolean runs = runs(single, multi).contains(StageName.TASK);
        if (runs && !root.field("task").present()) {
            At stages = root.field("phases").field("single").field("stages");
            reading.problem(single.contains(StageName.TASK) ? stages : root.field("phases"), "plan.task.missing");
        } else if (!runs && root.field("task").present()) {
            reading.problem(root.field("task"), "plan.task.unused");
        }
    }

    private Optional<Limits> limits(
            At at,
            Preset preset,
            Duration stability,
            Set<StageName> runs,
            Optional<Duration> taskLimit,
            Optional<OnFail> onFail) {
        Map<StageName, Duration> stages = new EnumMap<>(StageName.class);
        At given = at.field("stages");
        for (StageName stage : runs) {
            Optional<Duration> stated = reading.duration(given.field(stage.word()));
            stages.put(
                    stage,
                    stated.orElseGet(() -> stage == StageName.TASK
                            ? taskLimit.orElse(TaskReader.DEFAULT_LIMIT)
                            : Preset.stageLimit(stage, stability)));
        }
        if (given.field("stability").present()
                && stability.compareTo(stages.getOrDefault(StageName.STABILITY, stability)) > 0) {
            reading.problem(given.field("stability"), "plan.stability.limit", Durations.format(stability));
        }
        if (given.field("task").present()
                && reading.root().field("task").field("limit").present()) {
            reading.problem(given.field("task"), "plan.task.limit");
        }
        return Optional.of(new Limits(
                reading.duration(at.field("provisioning")).orElse(Duration.ofMinutes(20)),
                reading.duration(at.field("evaluation")).orElse(preset.evaluation()),
                until(at),
                stages,
                onFail));
    }

    private Optional<OnFail> onFail(At at, Budget budget) {
        Optional<Duration> keep = reading.duration(at.field("keep"));
        Optional<BigMoney> max =
                reading.money(at.field("max"), budget.currency()).filter(BigMoney::isPositive);
        return keep.flatMap(k -> max.map(m -> new OnFail(k, m)));
    }

    /** The next time the clock shows it, or that moment when it has a date. */
    private Optional<Instant> until(At at) {
        ZoneId where = zone;
        At named = at.field("zone");
        if (named.text().isPresent()) {
            try {
                where = ZoneId.of(named.text().get());
            } catch (DateTimeException e) {
                reading.problem(named, "plan.zone", named.text().get());
            }
            if (!at.field("until").present()) {
                reading.problem(named, "plan.zone.unused");
            }
        }
        ZonedDateTime now = clock.instant().atZone(where);
        Optional<String> dated = at.field("until").text().filter(t -> t.matches(DATED));
        if (dated.isPresent()) {
            return dated(at.field("until"), dated.get(), now);
        }
        return at.field("until")
                .text()
                .filter(t -> t.matches("([01][0-9]|2[0-3]):[0-5][0-9]"))
                .map(text -> {
                    ZonedDateTime today = now.with(LocalTime.parse(text));
                    return (today.isAfter(now) ? today : today.plusDays(1)).toInstant();
                });
    }

    private Optional<Instant> dated(At at, String text, ZonedDateTime now) {
        try {
            ZonedDateTime until = LocalDateTime.parse(text.replace(' ', 'T')).atZone(now.getZone());
            if (until.isAfter(now)) {
                return Optional.of(until.toInstant());
            }
            reading.problem(at, "plan.until.past", text);
        } catch (DateTimeException e) {
            reading.problem(at, "plan.until.date", text);
        }
        return Optional.empty();
    }
}
