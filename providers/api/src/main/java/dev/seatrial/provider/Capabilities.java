package dev.seatrial.provider;

import java.time.Duration;
import java.util.Optional;

/**
 * What a vendor can and cannot do, as data. Shown by {@code seatrial providers}.
 *
 * @param idempotencyToken whether a create with the same token never makes a second instance
 * @param serverDeadline whether the vendor deletes an instance by itself, and with what floor
 * @param shutdownEndsBill whether shutting down inside the instance ends the bill; true only where {@link
 *     CreateRequest#startupData} runs there as root, since it is what shuts down
 * @param keyRegistry whether keys are registered with the account rather than sent along
 * @param balance whether {@link Provider#balance()} answers
 * @param cost whether {@link Provider#cost} answers
 * @param borrowed a machine that was handed over: nothing is created or deleted, it ends as handed back
 * @param simulated whether all of it is a simulation
 * @param settleWindow how long after a create could have taken effect the instance may still be missing from reads
 * @param releaseAllowance how long the vendor may rightly take from an accepted release to gone
 * @param provisioning how long the vendor usually needs until SSH answers, at most
 * @param pollInterval least time between two {@link Provider#list()} calls of one account
 * @param notes other traits in plain words; may be empty
 */
public record Capabilities(
        boolean idempotencyToken,
        Optional<ServerDeadline> serverDeadline,
        boolean shutdownEndsBill,
        boolean keyRegistry,
        boolean balance,
        boolean cost,
        boolean borrowed,
        boolean simulated,
        Duration settleWindow,
        Duration releaseAllowance,
        Duration provisioning,
        Duration pollInterval,
        String notes) {
    /**
     * @param floor least time between now and the deadline that the vendor takes
     * @param precision how late the vendor may act on it
     */
    public record ServerDeadline(Duration floor, Duration precision) {}

    /** Whether anyone outside our processes ends the bill when all of ours are dead (law 2). */
    public boolean outsideOwner() {
        return borrowed || serverDeadline.isPresent() || shutdownEndsBill;
    }
}
