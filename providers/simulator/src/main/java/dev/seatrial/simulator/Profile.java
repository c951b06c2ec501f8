package dev.seatrial.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.simulator.cloud.FaultRule;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/**
 * How a simulated vendor and its machines behave. Read from JSON by {@link Profiles}. Lengths are seconds of the
 * simulated clock.
 *
 * @param name shown to users
 * @param description one sentence
 * @param account the account's label
 * @param currency of every price, ISO 4217
 * @param balance prepaid balance at the start
 * @param permissions what the key may do: {@code create}, {@code delete}
 * @param offers what is rented out
 * @param images what is started
 * @param timing how long things take
 * @param deadline the vendor's own deletion
 * @param traits which optional calls exist
 * @param quota what the account may have at once
 * @param rate requests it may send
 * @param faults in force from the start
 * @param machine facts of a machine: {@code gpu}, {@code software}, {@code host}, {@code storage}
 * @param stages what each benchmark finds
 */
public record Profile(
        String name,
        String description,
        String account,
        String currency,
        BigDecimal balance,
        List<String> permissions,
        List<OfferSpec> offers,
        List<ImageSpec> images,
        Timing timing,
        Deadline deadline,
        Traits traits,
        Quota quota,
        Rate rate,
        List<FaultRule> faults,
        Machine machine,
        Map<String, Stage> stages) {
    /**
     * Something rented out.
     *
     * @param id opaque to users
     * @param gpu normalised model
     * @param vendorGpu the vendor's words
     * @param gpus GPUs of one instance
     * @param hourly price of the whole instance
     * @param increment {@code second}, {@code minute}, {@code hour} or {@code day}
     * @param minimumSeconds least time billed
     * @param refund refund rule in plain words
     * @param stopped what bills while stopped, in plain words
     * @param available advisory stock: {@code yes}, {@code no}, {@code unknown}
     */
    public record OfferSpec(
            String id,
            String region,
            String gpu,
            String vendorGpu,
            int gpus,
            BigDecimal hourly,
            String increment,
            long minimumSeconds,
            String refund,
            String stopped,
            String available) {
        /** Seconds of one increment. */
        public long stepSeconds() {
            return switch (increment) {
                case "second" -> 1;
                case "minute" -> 60;
                case "hour" -> 3600;
                case "day" -> 86_400;
                default ->
                    throw new IllegalArgumentException(
                            "increment must be second, minute, hour or day, not '" + increment + "'");
            };
        }
    }

    /** A machine image. */
    public record ImageSpec(String id, String name, String description) {}

    /**
     * How long things take.
     *
     * @param boot from create to running
     * @param release from an accepted release to gone
     * @param terminatedShown how long reads still show a gone instance, as terminated
     * @param settle stated settle window
     * @param releaseAllowance stated longest time from an accepted release to gone
     * @param provisioning stated longest time until SSH answers
     * @param poll stated least time between two lists
     * @param clockSkew how far the vendor's clock is ahead of ours, negative when behind: of the Date header, of shown
     *     instants, and of instants that it is given
     */
    public record Timing(
            double boot,
            double release,
            double terminatedShown,
            double settle,
            double releaseAllowance,
            double provisioning,
            double poll,
            double clockSkew) {}

    /**
     * The vendor's own deletion.
     *
     * @param supported whether there is one
     * @param floor least time ahead; nearer requests are moved out to it
     * @param precision stated: how late it may act
     * @param late how late it does act
     * @param ignored whether it takes the request and does nothing
     */
    public record Deadline(boolean supported, double floor, double precision, double late, boolean ignored) {}

    /**
     * Which optional traits the vendor has.
     *
     * @param token whether the same token never makes a second instance
     * @param uniqueNames whether a second instance of one name is refused
     * @param shutdownEndsBill whether a machine that shuts itself down is deleted; start-up scripts then run as root
     */
    public record Traits(
            boolean token,
            boolean uniqueNames,
            boolean balance,
            boolean cost,
            boolean shutdownEndsBill,
            int pageSize) {}

    /** What the account may have at once. */
    public record Quota(int instances, int gpus) {}

    /**
     * Requests per second; 0 = no limit.
     *
     * @param burst how many at once
     * @param retryAfter whether a 429 says how long to wait
     */
    public record Rate(double perSecond, int burst, boolean retryAfter) {}

    /** Facts of a machine, in the payload's form. */
    public record Machine(ObjectNode gpu, ObjectNode software, ObjectNode host, ObjectNode storage, String topology) {}

    /**
     * What a benchmark finds.
     *
     * @param seconds how long it takes
     * @param asSpecified whether it takes as long as its specification asks (stability) instead
     * @param hangs whether it never ends
     * @param status {@code ok}, {@code failed} or {@code timed-out}
     * @param why with a status other than ok
     * @param taskMetric value of each metric of a user's task that {@code measurements} does not name
     */
    public record Stage(
            double seconds,
            boolean asSpecified,
            boolean hangs,
            String status,
            String why,
            double taskMetric,
            Map<String, Figure> measurements,
            List<JsonNode> findings) {}

    /**
     * One measurement.
     *
     * @param name the payload's name; empty = the key
     * @param value in {@code unit}
     * @param byGpus other values by GPU count
     * @param spread relative standard deviation of the samples
     * @param perGpu whether each GPU has its own
     * @param least fewest GPUs with which it is measured
     * @param most most GPUs with which it is measured
     */
    public record Figure(
            String name,
            String unit,
            double value,
            Map<String, Double> byGpus,
            double spread,
            boolean perGpu,
            int least,
            int most,
            String tool,
            String toolVersion,
            String method,
            JsonNode attrs) {}
}
