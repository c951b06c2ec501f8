package dev.seatrial.app.bench;

import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import java.util.List;
import java.util.Optional;

/**
 * One stage under judgement.
 *
 * @param model the card that was offered; empty when none was asked for or the name is unknown
 * @param status how the stage ended
 * @param past figures of earlier evaluations for the same card
 */
record Case(
        Plan plan,
        Candidate candidate,
        StageRunRow run,
        Evidence evidence,
        Optional<GpuModel> model,
        String status,
        List<Past> past) {
    boolean wantsGpu() {
        return candidate.wantsGpu();
    }

    boolean multi() {
        return run.phase() == Phase.MULTI;
    }

    StageName stage() {
        return run.stage();
    }

    /** Whether the stage needs GPUs that this run has not. */
    boolean pointless() {
        return switch (run.stage()) {
            case INTERCONNECT -> run.gpus() <= 1 || !wantsGpu();
            case STABILITY -> !wantsGpu();
            default -> false;
        };
    }

    Optional<String> promised(String key) {
        return Optional.ofNullable(candidate.promised().get(key));
    }

    static List<Measurement> named(List<Measurement> measurements, String name) {
        return measurements.stream().filter(m -> m.name().equals(name)).toList();
    }
}
