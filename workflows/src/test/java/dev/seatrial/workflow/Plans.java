package dev.seatrial.workflow;

import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;

/** Plans for workflow tests. */
final class Plans {
    private Plans() {}

    static Plan plan(Optional<MultiPhase> multi, String... candidates) {
        Map<StageName, Duration> limits = new EnumMap<>(StageName.class);
        for (StageName s : StageName.values()) {
            limits.put(s, Duration.ofMinutes(5));
        }
        return new Plan(
                "test",
                "hash",
                "quick",
                new Budget(BigMoney.parse("CNY 100"), Map.of()),
                Arrays.stream(candidates)
                        .map(c -> new Candidate(
                                c,
                                new ProviderId("sim"),
                                Optional.empty(),
                                "A100-SXM4-80G",
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Map.of(),
                                Optional.empty()))
                        .toList(),
                List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.STORAGE),
                multi,
                Duration.ofHours(1),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                new Limits(Duration.ofMinutes(20), Duration.ofHours(10), Optional.empty(), limits, Optional.empty()),
                Set.of(),
                Duration.ofHours(1));
    }

    static Optional<MultiPhase> multi(boolean approve, Integer... gpus) {
        return Optional.of(new MultiPhase(
                List.of(gpus), List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.INTERCONNECT), approve));
    }

    static Offer offer(int gpus) {
        return new Offer(
                new OfferId("o" + gpus),
                new ProviderId("sim"),
                "sim-1",
                "A100-SXM4-80G",
                "A100",
                gpus,
                Pricing.of(BigMoney.parse("CNY 9"), BillingIncrement.SECOND, Duration.ZERO),
                "",
                "",
                Availability.YES);
    }

    static TrialInput trial(Plan plan, String candidate, Instant now) {
        return new TrialInput("ev1", plan, candidate, now.plus(Duration.ofHours(10)), List.of(), 0, 0);
    }
}
