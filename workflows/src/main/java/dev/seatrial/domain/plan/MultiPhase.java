package dev.seatrial.domain.plan;

import java.util.List;

/**
 * The ladder of GPU counts.
 *
 * @param gpus ascending, each at least 2
 * @param stages in running order, {@code environment} first
 * @param approve whether a person must approve before multi-GPU money is spent
 */
public record MultiPhase(List<Integer> gpus, List<StageName> stages, boolean approve) {
    public MultiPhase {
        gpus = List.copyOf(gpus);
        stages = List.copyOf(stages);
    }
}
