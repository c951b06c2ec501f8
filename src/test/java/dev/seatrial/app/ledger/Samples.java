package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** Rows for ledger tests: an evaluation in CNY whose candidates are named like their providers. */
final class Samples {
    static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    static final String EVALUATION = "evalabc123";
    static final String OWNER = "embedded:owner1";
    static final CurrencyUnit CNY = CurrencyUnit.of("CNY");

    private Samples() {}

    static BigMoney cny(String amount) {
        return BigMoney.of(CNY, new BigDecimal(amount).setScale(6));
    }

    static Setup evaluation(String cap) {
        return new Setup(EVALUATION, cap, new LinkedHashMap<>());
    }

    /** Builds an evaluation: cap, then candidates with earmark and optional cap. */
    static final class Setup {
        private final String id;
        private final String cap;
        private final Map<String, String[]> candidates;

        private Setup(String id, String cap, Map<String, String[]> candidates) {
            this.id = id;
            this.cap = cap;
            this.candidates = candidates;
        }

        Setup named(String other) {
            return new Setup(other, cap, candidates);
        }

        Setup with(String candidate, String earmark) {
            candidates.put(candidate, new String[] {earmark, ""});
            return this;
        }

        Setup with(String candidate, String earmark, String candidateCap) {
            candidates.put(candidate, new String[] {earmark, candidateCap});
            return this;
        }

        void in(Ledger ledger) {
            List<Candidate> plan = new ArrayList<>();
            List<TrialRow> trials = new ArrayList<>();
            candidates.forEach((name, money) -> {
                plan.add(candidate(name, money[1].isEmpty() ? Optional.empty() : Optional.of(cny(money[1]))));
                trials.add(trial(id, name, trials.size(), false, micros(money[0])));
            });
            ledger.openEvaluation(row(id), plan(cap, plan), trials);
        }
    }

    static long micros(String amount) {
        return new BigDecimal(amount).movePointRight(6).longValueExact();
    }

    static EvaluationRow row(String id) {
        return new EvaluationRow(
                id,
                "shortlist",
                "0f".repeat(32),
                "{\"plan\":\"shortlist\"}",
                EvaluationStatus.RUNNING,
                true,
                OWNER,
                NOW,
                Optional.empty(),
                "");
    }

    static Plan plan(String cap, List<Candidate> candidates) {
        return new Plan(
                "shortlist",
                "0f".repeat(32),
                "quick",
                new Budget(cny(cap), Map.of("USD", new BigDecimal("7.10"))),
                candidates,
                List.of(StageName.ENVIRONMENT, StageName.COMPUTE),
                Optional.empty(),
                Duration.ofHours(1),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                LIMITS,
                Set.of(),
                Duration.ofHours(1));
    }

    private static final Limits LIMITS =
            new Limits(Duration.ofMinutes(20), Duration.ofHours(10), Optional.empty(), Map.of(), Optional.empty());

    static Candidate candidate(String name, Optional<BigMoney> cap) {
        return new Candidate(
                name,
                new ProviderId(name),
                Optional.empty(),
                "A100-SXM4-80G",
                Optional.empty(),
                cap,
                Optional.empty(),
                Map.of(),
                Optional.empty());
    }

    static TrialRow trial(String evaluation, String candidate, int position, boolean singleDone, long earmark) {
        return new TrialRow(
                evaluation,
                candidate,
                candidate,
                position,
                true,
                "waiting",
                "",
                "",
                singleDone,
                earmark,
                Optional.empty(),
                "",
                Optional.empty(),
                Coverage.NOTHING);
    }

    static Offer offer(String provider) {
        return new Offer(
                new OfferId("a100.1x"),
                new ProviderId(provider),
                "sim-1",
                "A100-SXM4-80G",
                "NVIDIA A100-SXM4-80GB",
                1,
                Pricing.of(BigMoney.of(CNY, new BigDecimal("9.00")), BillingIncrement.SECOND, Duration.ofMinutes(1)),
                "unused time is refunded",
                "disks",
                Availability.YES);
    }

    static LeaseKey key(String candidate, Phase phase, int ordinal) {
        return new LeaseKey(EVALUATION, candidate, phase, ordinal);
    }

    static LeaseIntent intent(LeaseKey key, String amount) {
        return new LeaseIntent(
                key,
                offer(key.candidate()),
                1,
                new LeaseTiming(NOW, NOW.plusSeconds(3600), NOW.plusSeconds(3800), cny(amount)),
                cny(amount),
                "1",
                false);
    }

    static LeaseRow granted(Ledger ledger, String candidate, Phase phase, int ordinal, String amount) {
        Grant grant = ledger.reserve(intent(key(candidate, phase, ordinal), amount), OWNER);
        if (grant instanceof Grant.Granted granted) {
            return granted.lease();
        }
        throw new AssertionError("not granted: " + grant);
    }

    static StageRunRow stageRun(String id, String candidate, String lease) {
        return new StageRunRow(
                id,
                EVALUATION,
                candidate,
                Phase.SINGLE,
                1,
                StageName.COMPUTE,
                lease,
                1,
                "started",
                0,
                0,
                "",
                NOW,
                Optional.empty(),
                "");
    }
}
