package dev.seatrial.app.preflight;

import static dev.seatrial.app.preflight.PreflightWords.english;

import dev.seatrial.app.plan.Durations;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightReport.LeaseEstimate;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.joda.money.BigMoney;

/** Looks at a plan, its accounts and its cost before anything is rented. Creates nothing. */
public final class Preflight {
    private static final int AT_ONCE = 6;

    private final Providers providers;
    private final InstantSource clock;

    public Preflight(Providers providers, InstantSource clock) {
        this.providers = providers;
        this.clock = clock;
    }

    /** Asks every account; all at once, since each may be slow. */
    public PreflightReport check(Plan plan) {
        Instant now = clock.instant();
        Instant notAfter = notAfter(plan, now);
        List<CandidateCheck> candidates = candidates(plan, now, Duration.between(now, notAfter));
        List<Finding> findings = new ArrayList<>(TaskFilesCheck.findings(plan));

        List<LeaseEstimate> leases = candidates.stream()
                .filter(CandidateCheck::usable)
                .flatMap(c -> c.leases().stream())
                .toList();
        BigMoney worst = sum(plan, leases);
        BigMoney singles =
                sum(plan, leases.stream().filter(l -> l.phase() == Phase.SINGLE).toList());
        BigMoney cap = plan.budget().cap();
        if (singles.isGreaterThan(cap)) {
            findings.add(money(PreflightCodes.CAP_SMALL, singles, cap));
        } else if (worst.isGreaterThan(cap)) {
            findings.add(money(PreflightCodes.CAP_MAY_STOP, worst, cap));
        }
        Duration longest = candidates.stream()
                .map(c -> c.leases().stream().map(LeaseEstimate::longest).reduce(Duration.ZERO, Duration::plus))
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        if (longest.compareTo(Duration.between(now, notAfter)) > 0) {
            findings.add(english(
                    PreflightCodes.TIME_MAY_STOP,
                    Severity.WARN,
                    Owner.OURS,
                    Map.of(
                            "needed", Durations.format(longest),
                            "given", Durations.format(Duration.between(now, notAfter)))));
        }
        return new PreflightReport(candidates, findings, worst, cap, longest, notAfter);
    }

    private static Instant notAfter(Plan plan, Instant now) {
        Instant latest = now.plus(plan.limits().evaluation());
        return plan.limits().until().filter(u -> u.isBefore(latest)).orElse(latest);
    }

    private List<CandidateCheck> candidates(Plan plan, Instant now, Duration time) {
        ExecutorService pool =
                Executors.newFixedThreadPool(Math.min(AT_ONCE, plan.candidates().size()));
        try {
            List<Future<CandidateCheck>> running = plan.candidates().stream()
                    .map(c -> pool.submit(() -> new CandidatePreflight(providers, plan, c, now, time).check()))
                    .toList();
            List<CandidateCheck> done = new ArrayList<>();
            for (Future<CandidateCheck> one : running) {
                done.add(one.get());
            }
            return done;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the check was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a candidate could not be checked: " + e.getCause(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private static BigMoney sum(Plan plan, List<LeaseEstimate> leases) {
        return leases.stream()
                .map(LeaseEstimate::worstInPlan)
                .reduce(BigMoney.zero(plan.budget().currency()), BigMoney::plus);
    }

    private static Finding money(String code, BigMoney needed, BigMoney cap) {
        return english(
                code,
                Severity.WARN,
                Owner.OURS,
                Map.of(
                        "needed", Amounts.text(needed),
                        "cap", Amounts.text(cap),
                        "missing", Amounts.text(needed.minus(cap))));
    }
}
