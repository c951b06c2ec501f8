package dev.seatrial.simulator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * What the vendor has billed, read at one moment of the simulated clock. An instance is billed until it is really gone,
 * whatever anyone was told.
 *
 * @param at when it was read
 * @param created instances that ever existed
 * @param running ids of those that exist now
 * @param billed over all of them
 * @param instances in order of creation
 */
public record MeterReading(
        Instant at, int created, List<String> running, BigMoney billed, List<MeteredInstance> instances) {
    /**
     * One instance's part.
     *
     * @param gpus GPUs it has
     * @param state the vendor's word for what it really is
     * @param from since when it is billed
     * @param to when it was gone
     */
    public record MeteredInstance(
            String id, String name, int gpus, String state, Instant from, Optional<Instant> to, BigMoney billed) {}

    /** Whether nothing costs money any more. */
    public boolean idle() {
        return running.isEmpty();
    }
}
