package dev.seatrial.domain.ledger;

import dev.seatrial.domain.plan.Phase;

/**
 * What identifies a lease: the same for every retry of one request, a new ordinal after each definite refusal, further
 * machine, rung or resume.
 *
 * @param evaluation evaluation id
 * @param candidate candidate name
 * @param phase phase
 * @param ordinal 1 and up within (evaluation, candidate, phase)
 */
public record LeaseKey(String evaluation, String candidate, Phase phase, int ordinal) {}
