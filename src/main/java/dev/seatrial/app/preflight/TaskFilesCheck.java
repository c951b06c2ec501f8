package dev.seatrial.app.preflight;

import static dev.seatrial.app.preflight.PreflightWords.english;

import dev.seatrial.app.plan.Durations;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.TaskSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** How much of the team's own files has to be sent, and how long that takes. */
final class TaskFilesCheck {
    /** A usual upload from an office: 20 Mbit/s. */
    private static final long BYTES_PER_SECOND = 2_500_000;

    private static final int MOST_FILES = 100_000;

    private TaskFilesCheck() {}

    static List<Finding> findings(Plan plan) {
        List<Finding> findings = new ArrayList<>();
        if (plan.task().isEmpty()) {
            return findings;
        }
        TaskSpec task = plan.task().get();
        long bytes = 0;
        for (Optional<String> path : List.of(task.upload(), task.data())) {
            try {
                bytes += path.isEmpty() ? 0 : size(Path.of(path.get()));
            } catch (IOException | UncheckedIOException e) {
                findings.add(english(
                        PreflightCodes.TASK_FILES,
                        Severity.FAIL,
                        Owner.OURS,
                        Map.of(
                                "path",
                                path.orElse(""),
                                "why",
                                String.valueOf(e.getMessage()),
                                PreflightCodes.FIELD,
                                "task")));
            }
        }
        if (bytes > 0) {
            Duration time = Duration.ofSeconds(bytes / BYTES_PER_SECOND + 1);
            boolean slow = time.compareTo(task.limit().dividedBy(2)) > 0;
            findings.add(english(
                    PreflightCodes.TASK_UPLOAD,
                    slow ? Severity.WARN : Severity.INFO,
                    Owner.OURS,
                    Map.of(
                            "megabytes", String.valueOf((bytes + 999_999) / 1_000_000),
                            "time", Durations.format(time),
                            "limit", Durations.format(task.limit()))));
        }
        return findings;
    }

    private static long size(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.limit(MOST_FILES)
                    .filter(Files::isRegularFile)
                    .mapToLong(TaskFilesCheck::bytes)
                    .sum();
        }
    }

    private static long bytes(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
