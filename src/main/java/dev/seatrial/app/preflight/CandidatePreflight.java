package dev.seatrial.app.preflight;

import static dev.seatrial.app.preflight.PreflightWords.english;

import dev.seatrial.app.config.Guess;
import dev.seatrial.app.engine.TrialActivitiesImpl;
import dev.seatrial.app.plan.Durations;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightReport.LeaseEstimate;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.provider.Account;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Image;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.workflow.OfferChoice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.joda.money.BigMoney;
import org.joda.money.Money;

/** One candidate's check. Used once. */
final class CandidatePreflight {
    /** A clock that is further off makes deadlines in names misleading. */
    private static final Duration MOST_SKEW = Duration.ofSeconds(60);

    private final Providers providers;
    private final Plan plan;
    private final Candidate candidate;
    private final Instant now;
    private final Duration time;
    private final List<Finding> findings = new ArrayList<>();
    private final List<LeaseEstimate> leases = new ArrayList<>();
    /** GPUs of a machine that is kept from the single phase for the rungs that fit it; 0 = none. */
    private int kept;

    /** @param time what is left until the evaluation must end */
    CandidatePreflight(Providers providers, Plan plan, Candidate candidate, Instant now, Duration time) {
        this.providers = providers;
        this.plan = plan;
        this.candidate = candidate;
        this.now = now;
        this.time = time;
    }

    CandidateCheck check() {
        Optional<Provider> provider = provider();
        if (provider.isEmpty()) {
            return result(false, false, Optional.empty());
        }
        Optional<Money> balance = Optional.empty();
        boolean answers = account(provider.get(), provider.get().capabilities());
        // Asked for only now: what a vendor can do is known for certain once it has answered.
        Capabilities traits = provider.get().capabilities();
        if (answers) {
            acceptance(traits);
            offers(provider.get(), traits);
            balance = balance(provider.get(), traits);
            image(provider.get());
        }
        return result(traits.simulated(), traits.borrowed(), balance);
    }

    private CandidateCheck result(boolean simulated, boolean borrowed, Optional<Money> balance) {
        return new CandidateCheck(
                candidate.name(), candidate.provider().value(), simulated, borrowed, leases, balance, findings);
    }

    private Optional<Provider> provider() {
        List<ProviderId> names = providers.names();
        if (!names.contains(candidate.provider())) {
            List<String> words = names.stream().map(ProviderId::value).toList();
            String likely = Guess.of(candidate.provider().value(), words).orElse(String.join(", ", words));
            planError(
                    PreflightCodes.PROVIDER_UNKNOWN,
                    Owner.OURS,
                    own("provider"),
                    Map.of("provider", candidate.provider().value(), "known", likely));
            return Optional.empty();
        }
        try {
            return Optional.of(providers.get(candidate.provider()));
        } catch (Providers.ConfigException e) {
            fail(
                    PreflightCodes.SETTINGS_INCOMPLETE,
                    Owner.OURS,
                    Map.of("provider", candidate.provider().value(), "why", String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    /** Law 2: somebody outside our processes must be able to end the bill, or the plan says that it knows. */
    private void acceptance(Capabilities traits) {
        if (traits.outsideOwner()) {
            return;
        }
        Map<String, String> params = Map.of("provider", candidate.provider().value(), "accept", Plan.ACCEPT_OFFLINE);
        if (plan.accept().contains(Plan.ACCEPT_OFFLINE)) {
            note(PreflightCodes.OFFLINE_ACCEPTED, Severity.INFO, Owner.VENDOR, params);
        } else {
            planError(PreflightCodes.OFFLINE_NOT_ACCEPTED, Owner.VENDOR, "accept", params);
        }
    }

    private boolean account(Provider provider, Capabilities traits) {
        try {
            Account account = provider.verify();
            if (!account.missing().isEmpty()) {
                fail(
                        PreflightCodes.PERMISSION_MISSING,
                        Owner.OURS,
                        Map.of("missing", account.missing().stream().sorted().collect(Collectors.joining(", "))));
            }
            account.clockSkew()
                    .map(Duration::abs)
                    .filter(s -> s.compareTo(MOST_SKEW) > 0)
                    .ifPresent(skew -> note(
                            PreflightCodes.CLOCK_SKEW,
                            Severity.WARN,
                            Owner.OURS,
                            Map.of("skew", Durations.format(skew))));
            return true;
        } catch (ProviderException e) {
            boolean away = e.kind().passing();
            String code = traits.borrowed() && away
                    ? PreflightCodes.MACHINE_UNREACHABLE
                    : away ? PreflightCodes.ACCOUNT_UNREACHABLE : PreflightCodes.ACCOUNT_REFUSED;
            fail(code, away ? Owner.TRANSPORT : e.kind() == ErrorKind.PROTOCOL ? Owner.VENDOR : Owner.OURS, said(e));
            return false;
        }
    }

    private void offers(Provider provider, Capabilities traits) {
        try {
            int one = candidate.wantsGpu() ? 1 : 0;
            List<Offer> all = provider.offers(new OfferQuery(
                    candidate.wantsGpu() && !traits.borrowed() ? Optional.of(candidate.gpu()) : Optional.empty(),
                    OptionalInt.empty(),
                    candidate.region()));
            if (all.isEmpty()) {
                fail(
                        PreflightCodes.NO_OFFER,
                        Owner.VENDOR,
                        Map.of(
                                "gpu",
                                candidate.gpu(),
                                "region",
                                candidate.region().orElse("-")));
                return;
            }
            lease(provider, traits, all, Phase.SINGLE, one);
            plan.multi().ifPresent(m -> m.gpus().forEach(n -> lease(provider, traits, all, Phase.MULTI, n)));
            caps();
        } catch (ProviderException e) {
            fail(PreflightCodes.OFFERS_UNREADABLE, e.kind().passing() ? Owner.TRANSPORT : Owner.VENDOR, said(e));
        }
    }

    private void lease(Provider provider, Capabilities traits, List<Offer> all, Phase phase, int gpus) {
        List<Integer> counts =
                all.stream().map(Offer::gpuCount).distinct().sorted().toList();
        // Whole machines may stand in for fewer GPUs only where nothing smaller is sold.
        boolean whole = counts.get(0) > gpus;
        if (!traits.borrowed() && gpus > 0 && !whole && !counts.contains(gpus)) {
            planError(
                    PreflightCodes.NO_SUCH_COUNT,
                    Owner.OURS,
                    phase == Phase.MULTI ? "phases.multi.gpus" : own("gpu"),
                    Map.of(
                            "gpus", String.valueOf(gpus),
                            "gpu", candidate.gpu(),
                            "counts", counts.stream().map(String::valueOf).collect(Collectors.joining(", "))));
            return;
        }
        if (phase == Phase.MULTI && gpus <= kept) {
            return;
        }
        OfferChoice choice = TrialActivitiesImpl.choose(provider, plan, candidate, gpus);
        if (choice.offers().isEmpty()) {
            String currencies = all.stream()
                    .map(o -> o.pricing().hourly().getCurrencyUnit().getCode())
                    .distinct()
                    .sorted()
                    .collect(Collectors.joining(", "));
            planError(
                    PreflightCodes.NO_RATE,
                    Owner.OURS,
                    "budget.fx",
                    Map.of(
                            "currencies",
                            currencies,
                            "currency",
                            plan.budget().currency().getCode()));
            return;
        }
        Offer offer = choice.offers().get(0);
        Duration provisioning = choice.provisioning().compareTo(plan.limits().provisioning()) < 0
                ? choice.provisioning()
                : plan.limits().provisioning();
        boolean goesOn = plan.multi().map(m -> !m.approve()).orElse(false);
        if (phase == Phase.SINGLE && offer.gpuCount() > 1 && goesOn) {
            kept = offer.gpuCount();
        }
        Duration work = phase == Phase.MULTI
                ? WorkTime.rung(plan)
                : kept > 0 ? WorkTime.wholeMachine(plan, kept) : WorkTime.single(plan);
        Duration needed = provisioning.plus(work);
        LeaseTiming timing = LeaseTiming.plan(now, needed, now.plus(needed), traits, offer.pricing());
        leases.add(new LeaseEstimate(
                phase, gpus, offer, timing.reserved(), plan.budget().convertUp(timing.reserved()), needed));
        if (whole && phase == Phase.SINGLE && gpus > 0) {
            note(
                    PreflightCodes.WHOLE_MACHINE,
                    Severity.INFO,
                    Owner.VENDOR,
                    Map.of("gpus", String.valueOf(offer.gpuCount())));
        }
        if (choice.offers().stream().allMatch(o -> o.availability() == Availability.NO)) {
            note(
                    PreflightCodes.NO_STOCK,
                    Severity.WARN,
                    Owner.VENDOR,
                    Map.of(
                            "gpus", String.valueOf(gpus),
                            "window", Durations.format(plan.limits().provisioning())));
        }
        if (phase == Phase.SINGLE) {
            single(traits, offer, needed);
        }
    }

    private void single(Capabilities traits, Offer offer, Duration needed) {
        if (needed.compareTo(time) > 0) {
            planError(
                    PreflightCodes.TIME_TOO_SHORT,
                    Owner.OURS,
                    "limits",
                    Map.of("needed", Durations.format(needed), "given", Durations.format(time)));
        }
        if (traits.borrowed() && offer.pricing().totalHourly().isZero()) {
            note(PreflightCodes.PRICE_NOT_STATED, Severity.INFO, Owner.OURS, Map.of());
        }
    }

    private void caps() {
        BigMoney cap = candidate.cap().orElse(plan.budget().cap());
        leases.stream()
                .filter(l -> l.phase() == Phase.SINGLE && l.worstInPlan().isGreaterThan(cap))
                .forEach(l -> note(
                        PreflightCodes.CANDIDATE_CAP_SMALL,
                        Severity.WARN,
                        Owner.OURS,
                        Map.of(
                                "needed", Amounts.text(l.worstInPlan()),
                                "cap", Amounts.text(cap),
                                "missing", Amounts.text(l.worstInPlan().minus(cap)))));
    }

    private Optional<Money> balance(Provider provider, Capabilities traits) {
        if (!traits.balance()) {
            return Optional.empty();
        }
        try {
            Optional<Money> balance = provider.balance();
            balance.ifPresent(this::compare);
            return balance;
        } catch (ProviderException e) {
            // The account has just answered; a balance that does not is no reason not to try.
            return Optional.empty();
        }
    }

    private void compare(Money balance) {
        List<BigMoney> worst = leases.stream()
                .map(LeaseEstimate::worst)
                .filter(w -> w.getCurrencyUnit().equals(balance.getCurrencyUnit()))
                .toList();
        if (worst.isEmpty()) {
            return;
        }
        BigMoney all = worst.stream().reduce(BigMoney.zero(balance.getCurrencyUnit()), BigMoney::plus);
        if (worst.get(0).isGreaterThan(balance)) {
            fail(
                    PreflightCodes.BALANCE_LOW,
                    Owner.OURS,
                    Map.of("balance", balance.toString(), "needed", Amounts.text(worst.get(0))));
        } else if (all.isGreaterThan(balance)) {
            note(
                    PreflightCodes.BALANCE_MAY_END,
                    Severity.WARN,
                    Owner.OURS,
                    Map.of("balance", balance.toString(), "needed", Amounts.text(all)));
        }
    }

    private void image(Provider provider) {
        if (candidate.image().isEmpty() || leases.isEmpty()) {
            return;
        }
        String wanted = candidate.image().get();
        try {
            List<String> ids = provider.images(leases.get(0).offer().id()).stream()
                    .map(Image::id)
                    .toList();
            if (!ids.isEmpty() && !ids.contains(wanted)) {
                String likely =
                        Guess.of(wanted, ids).orElse(ids.stream().limit(8).collect(Collectors.joining(", ")));
                planError(
                        PreflightCodes.IMAGE_UNKNOWN,
                        Owner.OURS,
                        own("image"),
                        Map.of("image", wanted, "known", likely));
            }
        } catch (ProviderException e) {
            note(PreflightCodes.OFFERS_UNREADABLE, Severity.WARN, Owner.VENDOR, said(e));
        }
    }

    private Map<String, String> said(ProviderException e) {
        return Map.of("provider", candidate.provider().value(), "kind", e.kind().name(), "why", e.words());
    }

    private void fail(String code, Owner owner, Map<String, String> params) {
        note(code, Severity.FAIL, owner, params);
    }

    /** With the place in the plan, so that it can be shown as other errors of a plan are. */
    private void planError(String code, Owner owner, String field, Map<String, String> params) {
        Map<String, String> all = new HashMap<>(params);
        all.put(PreflightCodes.FIELD, field);
        fail(code, owner, all);
    }

    private String own(String field) {
        return "candidates[" + plan.candidates().indexOf(candidate) + "]." + field;
    }

    private void note(String code, Severity severity, Owner owner, Map<String, String> params) {
        findings.add(english(code, severity, owner, params));
    }
}
