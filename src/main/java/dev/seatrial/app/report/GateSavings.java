package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.GateSaving;
import dev.seatrial.app.report.ReportModel.Lease;
import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.provider.Pricing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * What a shut gate or a failed baseline kept from being spent: the planned work time of every rung of the ladder that was
 * not started, at the price per GPU that the candidate's own single lease was quoted. The vendor's price list for several
 * GPUs is not in the ledger, because a candidate that fails is never asked for it.
 */
final class GateSavings {
    private GateSavings() {}

    static Optional<GateSaving> of(Plan plan, Trial trial) {
        boolean stopped = trial.row()
                .stoppedAt()
                .filter(at -> at.equals("gate") || at.startsWith("single/"))
                .isPresent();
        boolean multiRented = trial.leases().stream()
                .map(Lease::row)
                .anyMatch(l -> l.phase() == Phase.MULTI && l.state() != LeaseState.NOT_CREATED);
        Optional<LeaseRow> single = trial.leases().stream()
                .map(Lease::row)
                .filter(l -> l.phase() == Phase.SINGLE && l.state() != LeaseState.NOT_CREATED)
                .reduce((first, later) -> later);
        if (!stopped || multiRented || plan.multi().isEmpty() || single.isEmpty()) {
            return Optional.empty();
        }
        List<Integer> rungs = plan.multi().get().gpus();
        Duration planned = WorkTime.rung(plan);
        LeaseRow lease = single.get();
        // A whole machine's price covers all its GPUs although the single phase uses one of them.
        int machine = Math.max(Math.max(lease.gpus(), trial.machine().gpus()), 1);
        BigDecimal share = BigDecimal.ONE.divide(BigDecimal.valueOf(machine), 12, RoundingMode.HALF_UP);
        BigMoney sum = BigMoney.zero(plan.budget().currency());
        for (int gpus : rungs) {
            BigDecimal factor = lease.borrowed() ? BigDecimal.ONE : share.multiply(BigDecimal.valueOf(gpus));
            Pricing price = scaled(lease.pricing(), factor);
            sum = sum.plus(inPlan(plan.budget(), LeaseTiming.cost(price, planned)));
        }
        return Optional.of(new GateSaving(
                trial.row().candidate(),
                sum,
                rungs,
                scaled(lease.pricing(), share).hourly(),
                planned.plusSeconds(59).toMinutes()));
    }

    private static Pricing scaled(Pricing price, BigDecimal factor) {
        return new Pricing(
                price.hourly().withScale(12).multipliedBy(factor).withScale(6, RoundingMode.HALF_UP),
                price.increment(),
                price.minimumBilling(),
                price.storageHourly());
    }

    private static BigMoney inPlan(Budget budget, BigMoney amount) {
        return budget.converts(amount.getCurrencyUnit()) ? budget.convertUp(amount) : BigMoney.zero(budget.currency());
    }
}
