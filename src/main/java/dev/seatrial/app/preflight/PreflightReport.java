package dev.seatrial.app.preflight;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.Offer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.Money;

/**
 * What a check of a plan found.
 *
 * @param candidates one for each candidate of the plan, in its order
 * @param findings about the plan as a whole
 * @param worst what one lease for each phase and rung of every usable candidate can cost at most, in the plan's
 *     currency; it may exceed the cap, which is kept all the same
 * @param cap the plan's cap
 * @param longest longest time from start to end, over all candidates, when nothing has to be waited for
 * @param notAfter when the evaluation would have to end if it began now
 */
public record PreflightReport(
        List<CandidateCheck> candidates,
        List<Finding> findings,
        BigMoney worst,
        BigMoney cap,
        Duration longest,
        Instant notAfter) {
    public PreflightReport {
        candidates = List.copyOf(candidates);
        findings = List.copyOf(findings);
    }

    /** Whether every candidate can be tried. */
    public boolean ok() {
        return findings.stream().noneMatch(PreflightReport::failed)
                && candidates.stream().allMatch(CandidateCheck::usable);
    }

    /** Names of the candidates that can be tried. */
    public List<String> usable() {
        return candidates.stream()
                .filter(CandidateCheck::usable)
                .map(CandidateCheck::candidate)
                .toList();
    }

    /** Findings for which the plan itself must be changed, whatever the accounts say. */
    public List<Finding> planErrors() {
        return java.util.stream.Stream.concat(
                        findings.stream(), candidates.stream().flatMap(c -> c.findings().stream()))
                .filter(f -> failed(f) && PreflightCodes.PLAN.contains(f.code()))
                .toList();
    }

    /** What the plan accepts although the cap then depends on this program alone. */
    public List<Finding> risks() {
        return candidates.stream()
                .flatMap(c -> c.findings().stream())
                .filter(f -> f.code().equals(PreflightCodes.OFFLINE_ACCEPTED))
                .toList();
    }

    static boolean failed(Finding finding) {
        return finding.severity() == Severity.FAIL;
    }

    /**
     * One candidate.
     *
     * @param candidate its name
     * @param provider configured account
     * @param simulated whether it is simulated
     * @param borrowed whether the machine was handed over
     * @param leases what would be rented, cheapest offer each, phases and rungs in order
     * @param balance prepaid balance, where the vendor tells
     * @param findings everything noticed; with one of severity FAIL it cannot be tried
     */
    public record CandidateCheck(
            String candidate,
            String provider,
            boolean simulated,
            boolean borrowed,
            List<LeaseEstimate> leases,
            Optional<Money> balance,
            List<Finding> findings) {
        public CandidateCheck {
            leases = List.copyOf(leases);
            findings = List.copyOf(findings);
        }

        public boolean usable() {
            return findings.stream().noneMatch(PreflightReport::failed);
        }

        /** Why it cannot be tried: the first finding that says so. */
        public Optional<Finding> obstacle() {
            return findings.stream().filter(PreflightReport::failed).findFirst();
        }
    }

    /**
     * One lease that the plan may take.
     *
     * @param phase phase
     * @param gpus GPUs that the phase uses
     * @param offer the cheapest fitting offer, with the plan's own price where it states one
     * @param worst most it can cost while the vendor keeps its own rules, in the offer's currency
     * @param worstInPlan the same in the plan's currency, rounded up
     * @param longest longest time from the request until the release is asked for
     */
    public record LeaseEstimate(
            Phase phase, int gpus, Offer offer, BigMoney worst, BigMoney worstInPlan, Duration longest) {}
}
