package dev.seatrial.domain.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Limits in time.
 *
 * @param provisioning longest wait for an instance to be had and ready, per phase
 * @param evaluation longest the whole evaluation may take
 * @param until absolute end of the evaluation, already resolved from the plan's clock time and zone
 * @param stages time limit of each stage; every stage the plan runs has one
 * @param releaseAllowance stated when the vendor's own allowance should be overridden; normally empty
 */
public record Limits(
        Duration provisioning,
        Duration evaluation,
        Optional<Instant> until,
        Map<StageName, Duration> stages,
        Optional<Duration> releaseAllowance) {
    public Limits {
        stages = Map.copyOf(stages);
    }
}
