package dev.seatrial.domain.plan;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The team's own task.
 *
 * @param upload local file or directory, absolute, sent to the machine
 * @param data local file or directory with sample data
 * @param requires software the task needs, e.g. {@code torch: ">=2.4"}
 * @param prepare shell command run first
 * @param command shell command that is the task
 * @param limit most time the task may take
 * @param metrics the task's own figures, by name
 * @param expect what the figures must reach, by name
 */
public record TaskSpec(
        Optional<String> upload,
        Optional<String> data,
        Map<String, String> requires,
        Optional<String> prepare,
        String command,
        Duration limit,
        Map<String, Metric> metrics,
        Map<String, Expectation> expect) {
    public TaskSpec {
        requires = Map.copyOf(requires);
        metrics = Map.copyOf(metrics);
        expect = Map.copyOf(expect);
    }

    /**
     * @param regex expression whose first group is the number; the last match counts
     * @param unit unit, may be empty
     * @param higherIsBetter direction
     */
    public record Metric(String regex, String unit, boolean higherIsBetter) {}

    /** At least one bound is present. */
    public record Expectation(Optional<BigDecimal> atLeast, Optional<BigDecimal> atMost) {}
}
