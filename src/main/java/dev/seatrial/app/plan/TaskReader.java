package dev.seatrial.app.plan;

import dev.seatrial.app.config.Guess;
import dev.seatrial.app.config.YamlTree.At;
import dev.seatrial.domain.plan.TaskSpec;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads the team's own task. */
final class TaskReader {
    /** Longest a task may take where the plan does not say. */
    static final Duration DEFAULT_LIMIT = Duration.ofMinutes(30);

    private final Reading reading;
    private final Path directory;

    /** @param directory what relative paths are seen from */
    TaskReader(Reading reading, Path directory) {
        this.reading = reading;
        this.directory = directory;
    }

    Optional<TaskSpec> read(At at) {
        Optional<String> upload = path(at.field("upload"));
        Optional<String> data = path(at.field("data"));
        Map<String, String> requires = new HashMap<>();
        at.field("requires").fields().forEach(r -> r.scalar().ifPresent(v -> requires.put(r.name(), v.strip())));
        Map<String, TaskSpec.Metric> metrics = new HashMap<>();
        at.field("metrics").fields().forEach(m -> metric(m).ifPresent(metric -> metrics.put(m.name(), metric)));
        Map<String, TaskSpec.Expectation> expect = new HashMap<>();
        for (At e : at.field("expect").fields()) {
            if (!at.field("metrics").field(e.name()).present()) {
                String hint = Guess.of(e.name(), metrics.keySet())
                        .map(g -> reading.text("plan.guess", g))
                        .orElse(reading.text("plan.expect.hint"));
                reading.hinted(e, "plan.expect", hint, e.name());
            }
            expect.put(e.name(), bounds(reading, e));
        }
        Optional<Duration> limit = reading.duration(at.field("limit")).or(() -> reading.root()
                .field("limits")
                .field("stages")
                .field("task")
                .text()
                .flatMap(Durations::parse));
        return at.field("command")
                .text()
                .map(command -> new TaskSpec(
                        upload,
                        data,
                        requires,
                        at.field("prepare").text(),
                        command,
                        limit.orElse(DEFAULT_LIMIT),
                        metrics,
                        expect));
    }

    static TaskSpec.Expectation bounds(Reading reading, At at) {
        Optional<BigDecimal> least = reading.decimal(at.field("atLeast"));
        Optional<BigDecimal> most = reading.decimal(at.field("atMost"));
        if (least.isPresent() && most.isPresent() && least.get().compareTo(most.get()) > 0) {
            reading.problem(at, "plan.expect.order");
        }
        return new TaskSpec.Expectation(least, most);
    }

    private Optional<String> path(At at) {
        return at.text().flatMap(text -> {
            try {
                Path path = directory.resolve(text).normalize();
                if (!Files.isReadable(path)) {
                    reading.problem(at, Files.exists(path) ? "plan.path.unreadable" : "plan.path.missing", path);
                }
                return Optional.of(path.toString());
            } catch (InvalidPathException e) {
                reading.problem(at, "plan.path.invalid", e.getReason());
                return Optional.empty();
            }
        });
    }

    private Optional<TaskSpec.Metric> metric(At at) {
        At regex = at.field("regex");
        return regex.text().flatMap(text -> {
            try {
                // It is run by Python, which names groups (?P<name>…); the rest that people use is the same.
                if (Pattern.compile(text.replace("(?P<", "(?<")).matcher("").groupCount() < 1) {
                    reading.problem(regex, "plan.regex.group");
                }
            } catch (PatternSyntaxException e) {
                reading.problem(regex, "plan.regex", e.getDescription());
            }
            boolean higher = !at.field("better").text().equals(Optional.of("lower"));
            return Optional.of(new TaskSpec.Metric(text, at.field("unit").text().orElse(""), higher));
        });
    }
}
