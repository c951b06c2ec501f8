package dev.seatrial.workflow;

import dev.seatrial.domain.plan.StageName;
import java.time.Duration;

/**
 * A stage to run on a machine.
 *
 * @param id id of the run, here and on the machine; starting it again attaches
 * @param target where
 * @param stage what
 * @param attempt 1, or 2 for the repeat of a failed baseline on the same machine
 * @param limit most time it may take
 */
public record StageRun(String id, StageTarget target, StageName stage, int attempt, Duration limit) {}
