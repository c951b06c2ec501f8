package dev.seatrial.domain.plan;

import java.time.Duration;
import java.util.List;

/**
 * Longest time our work on a machine can take, from usable until our release is asked for. Money is reserved for it, so
 * whoever runs stages must keep to these figures.
 */
public final class WorkTime {
    /** Putting the payload on the machine and taking our traces off it again. */
    public static final Duration PREPARE = Duration.ofSeconds(30);
    /** What a stage may take beyond its limit: noticing the end, collecting, judging. */
    public static final Duration STAGE_GRACE = Duration.ofSeconds(10);

    private WorkTime() {}

    /** The single phase on one machine, one repeat of its longest stage that can be repeated included. */
    public static Duration single(Plan plan) {
        return of(plan, plan.singleStages());
    }

    /** One rung of the multi phase, one repeat included; zero when the plan has no multi phase. */
    public static Duration rung(Plan plan) {
        return plan.multi().map(m -> of(plan, m.stages())).orElse(Duration.ZERO);
    }

    /** Both phases on one whole machine: the single phase and every rung that fits it. */
    public static Duration wholeMachine(Plan plan, int gpus) {
        long rungs = plan.multi()
                .map(m -> m.gpus().stream().filter(n -> n <= gpus).count())
                .orElse(0L);
        return single(plan).plus(rung(plan).multipliedBy(rungs));
    }

    /** Task uploads count towards preparation and are limited by the stage's own limit. */
    private static Duration of(Plan plan, List<StageName> stages) {
        Duration sum = PREPARE;
        Duration repeat = Duration.ZERO;
        for (StageName stage : stages) {
            Duration limit = limit(plan, stage).plus(STAGE_GRACE);
            sum = sum.plus(limit);
            if (repeatable(stage) && limit.compareTo(repeat) > 0) {
                repeat = limit;
            }
        }
        return sum.plus(repeat);
    }

    /** The plan's limit of a stage. @throws IllegalArgumentException when the plan has none */
    public static Duration limit(Plan plan, StageName stage) {
        Duration limit = plan.limits().stages().get(stage);
        if (limit == null) {
            throw new IllegalArgumentException("plan has no time limit for stage " + stage.word());
        }
        return limit;
    }

    /** Whether a failed result is measured once more on the same machine, to tell noise from fact. */
    public static boolean repeatable(StageName stage) {
        return switch (stage) {
            case COMPUTE, STORAGE, NETWORK, INTERCONNECT -> true;
            case ENVIRONMENT, STABILITY, TASK -> false;
        };
    }
}
