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
 * @param onFail how a machine that failed is held for evidence; empty = given back at once
 */
public record Limits(
        Duration provisioning,
        Duration evaluation,
        Optional<Instant> until,
        Map<StageName, Duration> stages,
        Optional<OnFail> onFail) {
    public Limits {
        stages = Map.copyOf(stages);
    }
}
