package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.plan.Phase;
import java.util.List;
import java.util.OptionalLong;

/**
 * Decides whether a lease may have money. Pure arithmetic on micros of the plan's currency; the rules are told at
 * {@link dev.seatrial.domain.ledger.Ledger#reserve}.
 *
 * @param cap the evaluation's cap
 * @param trials every candidate's part
 * @param leases every lease of the evaluation
 */
record MoneyRule(long cap, List<TrialMoney> trials, List<LeaseMoney> leases) {
    record TrialMoney(String candidate, OptionalLong cap, boolean singleDone, long earmark) {}

    /** @param cost empty while open, or closed without a known cost */
    record LeaseMoney(
            String candidate,
            String provider,
            Phase phase,
            LeaseState state,
            long reservedMicros,
            OptionalLong cost,
            long overrun) {
        long reserved() {
            return state.terminal() ? 0 : reservedMicros;
        }

        long spent() {
            if (!state.terminal()) {
                return 0;
            }
            // A cost nobody knows yet must not free money.
            return cost.orElse(state == LeaseState.NOT_CREATED ? 0 : reservedMicros);
        }

        long used() {
            return Math.addExact(Math.addExact(spent(), reserved()), overrun);
        }
    }

    /** Micros of an evaluation or candidate. */
    record Sums(long spent, long reserved, long overrun) {
        static Sums of(List<LeaseMoney> leases) {
            return new Sums(
                    leases.stream().mapToLong(LeaseMoney::spent).sum(),
                    leases.stream().mapToLong(LeaseMoney::reserved).sum(),
                    leases.stream().mapToLong(LeaseMoney::overrun).sum());
        }
    }

    sealed interface Decision {
        record Yes() implements Decision {}

        record No(String cap, long missing) implements Decision {}

        record Wait(long kept) implements Decision {}
    }

    /** @throws ArithmeticException when sums leave the range of a long */
    Decision decide(String candidate, String provider, Phase phase, long amount) {
        long overrun = leases.stream()
                .filter(l -> l.provider().equals(provider))
                .mapToLong(LeaseMoney::overrun)
                .sum();
        boolean overdue =
                leases.stream().anyMatch(l -> l.provider().equals(provider) && l.state() == LeaseState.OVERDUE);
        if (overrun > 0 || overdue) {
            return new Decision.No("overrun", overrun);
        }
        OptionalLong own = trials.stream()
                .filter(t -> t.candidate().equals(candidate))
                .findFirst()
                .map(TrialMoney::cap)
                .orElse(OptionalLong.empty());
        long overOwn = Math.addExact(used(candidate), amount) - own.orElse(Long.MAX_VALUE);
        if (own.isPresent() && overOwn > 0) {
            return new Decision.No("candidate", overOwn);
        }
        long used = leases.stream().mapToLong(LeaseMoney::used).reduce(0, Math::addExact);
        long kept = 0;
        long held = 0;
        for (TrialMoney trial : trials) {
            if (!trial.candidate().equals(candidate) && !trial.singleDone()) {
                kept = Math.addExact(kept, undrawn(trial));
                held = Math.addExact(held, reservedForSingle(trial.candidate()));
            }
        }
        long over = Math.subtractExact(Math.addExact(Math.addExact(used, kept), amount), cap);
        if (over <= 0) {
            return new Decision.Yes();
        }
        if (phase == Phase.MULTI && over <= kept + held) {
            return new Decision.Wait(kept + held);
        }
        return new Decision.No("evaluation", over);
    }

    private long used(String candidate) {
        return leases.stream()
                .filter(l -> l.candidate().equals(candidate))
                .mapToLong(LeaseMoney::used)
                .reduce(0, Math::addExact);
    }

    /** What is left of an earmark after what the candidate's single leases have cost or reserved. */
    private long undrawn(TrialMoney trial) {
        long drawn = leases.stream()
                .filter(l -> l.candidate().equals(trial.candidate()) && l.phase() == Phase.SINGLE)
                .mapToLong(l -> l.spent() + l.reserved())
                .sum();
        return Math.max(0, trial.earmark() - drawn);
    }

    private long reservedForSingle(String candidate) {
        return leases.stream()
                .filter(l -> l.candidate().equals(candidate) && l.phase() == Phase.SINGLE)
                .mapToLong(LeaseMoney::reserved)
                .sum();
    }
}
