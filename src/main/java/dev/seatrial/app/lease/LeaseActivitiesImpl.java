package dev.seatrial.app.lease;

import dev.seatrial.app.remote.LeaseKeys;
import dev.seatrial.app.remote.MachineProbe;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.workflow.CreateResult;
import dev.seatrial.workflow.LeaseActivities;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseOpening;
import dev.seatrial.workflow.LeaseOpening.Decision;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.ReadyResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import org.joda.money.BigMoney;

/** Vendor calls of one lease, each written to the ledger before and after. */
public final class LeaseActivitiesImpl implements LeaseActivities {
    private final Ledger ledger;
    private final Lookup lookup;
    private final Creation creation;
    private final Readiness readiness;
    private final Releaser releaser;
    private final Function<String, Plan> plans;
    private final String owner;
    private final InstantSource clock;

    /**
     * @param plans the plan of an evaluation, by its id
     * @param owner this process, as ledger rows name it
     */
    public LeaseActivitiesImpl(
            Ledger ledger,
            Accounts accounts,
            LeaseKeys keys,
            MachineProbe probe,
            Releaser releaser,
            Function<String, Plan> plans,
            String owner,
            InstantSource clock) {
        this.ledger = ledger;
        this.lookup = new Lookup(ledger, accounts);
        this.creation = new Creation(ledger, lookup, new Whereabouts(ledger, accounts, clock), keys, clock);
        this.readiness = new Readiness(ledger, lookup, probe, clock);
        this.releaser = releaser;
        this.plans = plans;
        this.owner = owner;
        this.clock = clock;
    }

    @Override
    public LeaseOpening open(LeaseRequest request) {
        Plan plan = plans.apply(request.key().evaluation());
        Capabilities traits = lookup.provider(request.offer().provider()).capabilities();
        Instant now = clock.instant();
        Duration needed = request.provisioning().plus(request.work());
        if (now.plus(needed).isAfter(request.notAfter())) {
            return new LeaseOpening(
                    Decision.NO_TIME,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "needs " + needed.toSeconds() + " s, the evaluation ends in "
                            + Duration.between(now, request.notAfter()).toSeconds() + " s");
        }
        LeaseTiming timing = LeaseTiming.plan(
                now, needed, request.notAfter(), traits, request.offer().pricing());
        BigMoney inPlan = plan.budget().convertUp(timing.reserved());
        LeaseIntent intent = new LeaseIntent(
                request.key(),
                request.offer(),
                request.gpus(),
                timing,
                inPlan,
                rate(plan.budget(), timing.reserved()),
                traits.borrowed());
        Grant grant = ledger.reserve(intent, owner);
        if (grant instanceof Grant.Granted granted) {
            LeaseRow row = granted.lease();
            return new LeaseOpening(
                    Decision.GRANTED,
                    Optional.of(handle(row)),
                    Optional.of(row.timing().deadline()),
                    Optional.of(row.timing().latestGone()),
                    "");
        }
        if (grant instanceof Grant.Refused refused) {
            return new LeaseOpening(
                    Decision.REFUSED,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    refusal(refused, inPlan, request.gpus()));
        }
        Grant.Later later = (Grant.Later) grant;
        return new LeaseOpening(
                Decision.LATER,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                later.keptForSingles() + " is kept for single phases that are not over");
    }

    private static String refusal(Grant.Refused refused, BigMoney needed, int gpus) {
        return switch (refused.cap()) {
            case "overrun" -> "the vendor has billed or may bill beyond its own rules: no new lease there";
            case "ended" -> "the evaluation is over";
            default ->
                "needs up to " + needed + " for " + gpus + " GPU; the cap of the " + refused.cap() + " is "
                        + refused.missing() + " short";
        };
    }

    @Override
    public CreateResult create(LeaseHandle lease, LeaseRequest request) {
        return creation.create(lease, request);
    }

    @Override
    public CreateResult resolve(LeaseHandle lease) {
        return creation.resolve(lease);
    }

    @Override
    public ReadyResult awaitReady(LeaseHandle lease) {
        return readiness.await(lease);
    }

    @Override
    public long releaseUntilGone(LeaseHandle lease, String reason) {
        ReleaseStep step = releaser.step(lease, reason);
        if (step instanceof ReleaseStep.Gone gone) {
            return gone.at().toEpochMilli();
        }
        ReleaseStep.NotYetGone later = (ReleaseStep.NotYetGone) step;
        throw NotYet.after(later.after(), later.why());
    }

    /** The handle of a row, for whoever wants to release it. */
    public static LeaseHandle handle(LeaseRow row) {
        return new LeaseHandle(
                row.id(),
                row.provider().value(),
                row.name().text(),
                row.instance().map(InstanceId::value),
                row.endpoint());
    }

    private static String rate(Budget budget, BigMoney amount) {
        return amount.getCurrencyUnit().equals(budget.currency())
                ? "1"
                : Optional.ofNullable(budget.fx().get(amount.getCurrencyUnit().getCode()))
                        .map(BigDecimal::toPlainString)
                        .orElse("1");
    }
}
