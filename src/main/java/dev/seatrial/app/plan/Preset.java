package dev.seatrial.app.plan;

import static dev.seatrial.domain.plan.StageName.COMPUTE;
import static dev.seatrial.domain.plan.StageName.ENVIRONMENT;
import static dev.seatrial.domain.plan.StageName.INTERCONNECT;
import static dev.seatrial.domain.plan.StageName.NETWORK;
import static dev.seatrial.domain.plan.StageName.STABILITY;
import static dev.seatrial.domain.plan.StageName.STORAGE;

import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.StageName;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a plan runs when it does not say so itself. */
enum Preset {
    /** About 20 minutes on one GPU. */
    QUICK(Duration.ofHours(1), Duration.ofHours(3)),
    /** Goes on to several GPUs and an hour of load. */
    STANDARD(Duration.ofHours(1), Duration.ofHours(10)),
    /** Before a contract is signed. */
    ACCEPTANCE(Duration.ofHours(4), Duration.ofHours(24));

    private final Duration stability;
    private final Duration evaluation;

    Preset(Duration stability, Duration evaluation) {
        this.stability = stability;
        this.evaluation = evaluation;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Preset> of(String word) {
        return Stream.of(values()).filter(p -> p.word().equals(word)).findFirst();
    }

    List<StageName> single() {
        return List.of(ENVIRONMENT, COMPUTE, STORAGE, NETWORK);
    }

    /** Whether it loads the machine for a while, with several GPUs where it gets so far. */
    boolean loads() {
        return this != QUICK;
    }

    Optional<MultiPhase> multi() {
        return loads() ? Optional.of(new MultiPhase(List.of(2, 8), multiStages(), false)) : Optional.empty();
    }

    List<StageName> multiStages() {
        return loads()
                ? List.of(ENVIRONMENT, COMPUTE, INTERCONNECT, STABILITY)
                : List.of(ENVIRONMENT, COMPUTE, INTERCONNECT);
    }

    Duration stability() {
        return stability;
    }

    Duration evaluation() {
        return evaluation;
    }

    /** Longest a stage may take where the plan does not say: about twice what it takes on a healthy machine. */
    static Duration stageLimit(StageName stage, Duration stability) {
        return switch (stage) {
            case ENVIRONMENT -> Duration.ofMinutes(3);
            case COMPUTE, STORAGE, INTERCONNECT -> Duration.ofMinutes(15);
            case NETWORK -> Duration.ofMinutes(8);
            case STABILITY -> stability.plusMinutes(10);
            case TASK -> TaskReader.DEFAULT_LIMIT;
        };
    }
}
