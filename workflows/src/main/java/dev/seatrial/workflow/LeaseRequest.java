package dev.seatrial.workflow;

import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.provider.Offer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One instance wanted.
 *
 * @param key identity; retries of the same request carry the same key
 * @param offer what to rent
 * @param gpus GPUs that the phase uses of it
 * @param image vendor's image or its default
 * @param provisioning longest wait from the create request until it is usable
 * @param work longest time our work on it takes once usable
 * @param notAfter latest deadline whatever the work needs (end of the evaluation)
 */
public record LeaseRequest(
        LeaseKey key,
        Offer offer,
        int gpus,
        Optional<String> image,
        Duration provisioning,
        Duration work,
        Instant notAfter) {}
