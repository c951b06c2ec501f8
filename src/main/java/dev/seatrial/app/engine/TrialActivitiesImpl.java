package dev.seatrial.app.engine;

import dev.seatrial.app.provider.Providers;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.OfferChoice;
import dev.seatrial.workflow.TrialActivities;
import dev.seatrial.workflow.TrialOutcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.joda.money.BigMoney;

/** Reads offers, keeps the trial's row, writes its end. */
public final class TrialActivitiesImpl implements TrialActivities {
    private static final Duration VENDOR_AWAY = Duration.ofSeconds(5);

    private final Ledger ledger;
    private final Providers providers;
    private final Function<String, Plan> plans;
    private final TrialJudge judge;
    private final InstantSource clock;

    public TrialActivitiesImpl(
            Ledger ledger, Providers providers, Function<String, Plan> plans, TrialJudge judge, InstantSource clock) {
        this.ledger = ledger;
        this.providers = providers;
        this.plans = plans;
        this.judge = judge;
        this.clock = clock;
    }

    @Override
    public OfferChoice offers(String evaluation, String candidateName, int gpus) {
        Plan plan = plans.apply(evaluation);
        Candidate candidate = plan.candidate(candidateName);
        try {
            return choose(providers.get(candidate.provider()), plan, candidate, gpus);
        } catch (Providers.ConfigException e) {
            throw NotYet.never(String.valueOf(e.getMessage()));
        } catch (ProviderException e) {
            if (e.kind().passing()) {
                throw NotYet.unreachable(e.retryAfter().orElse(VENDOR_AWAY), e.kind() + ": " + e.words());
            }
            throw NotYet.never(e.kind() + ": " + e.words());
        }
    }

    /** The offers a candidate may rent, in order: exact count, cheapest first; only when there is none, the smallest larger count. */
    public static OfferChoice choose(Provider provider, Plan plan, Candidate candidate, int gpus) {
        Capabilities traits = provider.capabilities();
        List<Offer> all = provider
                .offers(new OfferQuery(
                        candidate.wantsGpu() && !traits.borrowed() ? Optional.of(candidate.gpu()) : Optional.empty(),
                        OptionalInt.empty(),
                        candidate.region()))
                .stream()
                .filter(o -> traits.borrowed() || o.gpuCount() >= gpus)
                .map(o -> stated(o, plan, candidate))
                .filter(o -> plan.budget().converts(o.pricing().hourly().getCurrencyUnit()))
                .toList();
        int smallest = all.stream().mapToInt(Offer::gpuCount).min().orElse(gpus);
        List<Offer> fitting = all.stream()
                .filter(o -> o.gpuCount() == smallest || traits.borrowed())
                .sorted(Comparator.comparing(
                        o -> plan.budget().convertUp(o.pricing().totalHourly()).getAmount()))
                .toList();
        return new OfferChoice(
                fitting, traits.simulated(), traits.borrowed(), traits.provisioning(), traits.pollInterval());
    }

    /** A price that the plan states counts before the one in a price list; a price of nothing needs no rate. */
    private static Offer stated(Offer o, Plan plan, Candidate candidate) {
        Optional<Pricing> own = candidate.price().map(p -> Pricing.of(p.hourly(), p.increment(), p.minimum()));
        boolean free = o.pricing().totalHourly().isZero();
        Pricing pricing = own.orElseGet(() -> free
                ? Pricing.of(
                        BigMoney.zero(plan.budget().currency()),
                        o.pricing().increment(),
                        o.pricing().minimumBilling())
                : o.pricing());
        return new Offer(
                o.id(),
                o.provider(),
                o.region(),
                o.gpu(),
                o.vendorGpu(),
                o.gpuCount(),
                pricing,
                o.refundRule(),
                o.billsWhenStopped(),
                o.availability());
    }

    @Override
    public void position(String evaluation, String candidate, String state, String phase, String stage) {
        TrialRow t = row(evaluation, candidate);
        ledger.trial(with(
                t,
                state,
                phase.isEmpty() ? t.phase() : phase,
                stage,
                t.singleDone(),
                t.verdict(),
                t.reason(),
                t.stoppedAt(),
                t.coverage()));
    }

    @Override
    public void singleDone(String evaluation, String candidate) {
        TrialRow t = row(evaluation, candidate);
        ledger.trial(
                with(t, t.state(), t.phase(), t.stage(), true, t.verdict(), t.reason(), t.stoppedAt(), t.coverage()));
    }

    @Override
    public void note(String evaluation, String candidate, String code, String words) {
        ledger.audit("trial", code, evaluation + "/" + candidate + ": " + words, clock.instant());
    }

    @Override
    public TrialOutcome conclude(
            String evaluation, String candidate, List<StageSummary> stages, Optional<Stop> stopped, boolean rented) {
        Plan plan = plans.apply(evaluation);
        List<StageResult> results = ledger.stageResults(evaluation, candidate);
        TrialJudge.Judged judged = judge.judge(plan, plan.candidate(candidate), results);
        Verdict verdict = judged.verdict();
        String reason = judged.reason();
        String kind = stopped.map(Stop::kind).orElse("");
        boolean cancelled = kind.equals("cancelled");
        if (stopped.isPresent() && verdict != Verdict.FAIL) {
            // What was cut short was not told, whatever the stages before it said.
            verdict = kind.equals("failed") ? Verdict.FAIL : Verdict.UNKNOWN;
            reason = stopped.get().words();
        }
        TrialRow t = row(evaluation, candidate);
        ledger.trial(with(
                t,
                "done",
                t.phase(),
                "",
                true,
                Optional.of(verdict),
                reason,
                stopped.map(Stop::at),
                judged.coverage()));
        return new TrialOutcome(
                candidate,
                verdict,
                reason,
                stopped.map(Stop::at),
                rented || !results.isEmpty(),
                kind.equals("budget"),
                cancelled);
    }

    private TrialRow row(String evaluation, String candidate) {
        return ledger.trials(evaluation).stream()
                .filter(t -> t.candidate().equals(candidate))
                .findFirst()
                .orElseThrow(() -> NotYet.never("the ledger has no trial " + evaluation + "/" + candidate));
    }

    private static TrialRow with(
            TrialRow t,
            String state,
            String phase,
            String stage,
            boolean singleDone,
            Optional<Verdict> verdict,
            String reason,
            Optional<String> stoppedAt,
            dev.seatrial.domain.measure.Coverage coverage) {
        return new TrialRow(
                t.evaluation(),
                t.candidate(),
                t.provider(),
                t.position(),
                t.simulated(),
                state,
                phase,
                stage,
                singleDone,
                t.singleEarmark(),
                verdict,
                reason,
                stoppedAt,
                coverage);
    }
}
