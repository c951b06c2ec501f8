package dev.seatrial.workflow;

import dev.seatrial.domain.plan.Phase;

/**
 * A machine to measure on.
 *
 * @param evaluation evaluation id
 * @param candidate candidate name
 * @param phase phase
 * @param gpus GPUs to use: 0 = none, fewer than the machine has = pinned to the first ones
 * @param lease the machine
 */
public record StageTarget(String evaluation, String candidate, Phase phase, int gpus, LeaseHandle lease) {}
