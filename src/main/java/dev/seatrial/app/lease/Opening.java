package dev.seatrial.app.lease;

import dev.seatrial.domain.ledger.BalanceSeen;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.money.SpendLimit;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.workflow.LeaseOpening;
import dev.seatrial.workflow.LeaseOpening.Decision;
import dev.seatrial.workflow.LeaseRequest;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Function;
import org.joda.money.BigMoney;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Law 5 for one lease: how long it may live, what that costs at most, and whether there is money for it. */
final class Opening {
    private static final Logger LOG = LoggerFactory.getLogger(Opening.class);
    private static final int BALANCE_TRIES = 3;

    private final Ledger ledger;
    private final Lookup lookup;
    private final Function<String, Plan> plans;
    private final String owner;
    private final InstantSource clock;

    Opening(Ledger ledger, Lookup lookup, Function<String, Plan> plans, String owner, InstantSource clock) {
        this.ledger = ledger;
        this.lookup = lookup;
        this.plans = plans;
        this.owner = owner;
        this.clock = clock;
    }

    LeaseOpening open(LeaseRequest request) {
        Plan plan = plans.apply(request.key().evaluation());
        Provider provider = lookup.provider(request.offer().provider());
        Instant now = clock.instant();
        Duration needed = request.provisioning().plus(request.work());
        if (now.plus(needed).isAfter(request.notAfter())) {
            return not(
                    Decision.NO_TIME,
                    "needs " + needed.toSeconds() + " s, the evaluation ends in "
                            + Duration.between(now, request.notAfter()).toSeconds() + " s");
        }
        LeaseTiming timing = LeaseTiming.plan(
                now,
                needed,
                request.notAfter(),
                provider.capabilities(),
                request.offer().pricing());
        BigMoney inPlan = plan.budget().convertUp(timing.reserved());
        LeaseIntent intent = new LeaseIntent(
                request.key(),
                request.offer(),
                request.gpus(),
                timing,
                inPlan,
                rate(plan.budget(), timing.reserved()),
                provider.capabilities().borrowed());
        Optional<SpendLimits> limits = ledger.spendLimits();
        boolean kept = limits.flatMap(l -> l.keepBalance(provider.id().value())).isPresent();
        Grant grant = ledger.reserve(intent, owner, kept ? balance(provider) : Optional.empty());
        if (grant instanceof Grant.Granted granted) {
            LeaseRow row = granted.lease();
            return new LeaseOpening(
                    Decision.GRANTED,
                    Optional.of(LeaseActivitiesImpl.handle(row)),
                    Optional.of(row.timing().deadline()),
                    Optional.of(row.timing().latestGone()),
                    "");
        }
        if (grant instanceof Grant.Later later) {
            return not(Decision.LATER, later.keptForSingles() + " is kept for single phases that are not over");
        }
        return not(
                Decision.REFUSED,
                refusal(
                        grant,
                        inPlan,
                        request.gpus(),
                        limits.map(SpendLimits::zone).orElse(ZoneId.of("UTC"))));
    }

    private static LeaseOpening not(Decision decision, String words) {
        return new LeaseOpening(decision, Optional.empty(), Optional.empty(), Optional.empty(), words);
    }

    /** Asked a few times, since not to know it means not to rent. */
    private Optional<BalanceSeen> balance(Provider provider) {
        if (!provider.capabilities().balance()) {
            return Optional.empty();
        }
        for (int i = 1; ; i++) {
            try {
                Instant asked = clock.instant();
                return provider.balance().map(b -> new BalanceSeen(b.toBigMoney(), asked));
            } catch (ProviderException e) {
                LOG.info("{} tells no balance: {}: {}", provider.id(), e.kind(), e.words());
                if (i == BALANCE_TRIES || !e.kind().passing()) {
                    return Optional.empty();
                }
            }
        }
    }

    private static String refusal(Grant grant, BigMoney needed, int gpus, ZoneId zone) {
        if (grant instanceof Grant.Limited limited) {
            String resets = limited.resets()
                    .map(at -> "; it begins anew at " + at.atZone(zone).toOffsetDateTime())
                    .orElse("");
            return "needs up to " + limited.needed() + " for " + gpus + " GPU; " + words(limited.limit()) + " leaves "
                    + limited.left() + resets;
        }
        if (grant instanceof Grant.Untold untold) {
            return "cannot be told to fit " + words(untold.limit()) + ": " + untold.why();
        }
        if (grant instanceof Grant.Stopped stopped) {
            return Creation.stopped(stopped.stop());
        }
        Grant.Refused refused = (Grant.Refused) grant;
        return switch (refused.cap()) {
            case "overrun" -> "the vendor has billed or may bill beyond its own rules: no new lease there";
            case "ended" -> "the evaluation is over";
            default ->
                "needs up to " + needed + " for " + gpus + " GPU; the cap of the " + refused.cap() + " is "
                        + refused.missing() + " short";
        };
    }

    private static String words(SpendLimit limit) {
        String of = limit.account().map(a -> " of the account " + a).orElse(" of all accounts together");
        return switch (limit.period()) {
            case DAY -> "the limit of " + limit.amount() + " per day" + of;
            case MONTH -> "the limit of " + limit.amount() + " per month" + of;
            case BALANCE -> "the balance of " + limit.amount() + " to be kept" + of;
        };
    }

    private static String rate(Budget budget, BigMoney amount) {
        return amount.getCurrencyUnit().equals(budget.currency())
                ? "1"
                : Optional.ofNullable(budget.fx().get(amount.getCurrencyUnit().getCode()))
                        .map(BigDecimal::toPlainString)
                        .orElse("1");
    }
}
