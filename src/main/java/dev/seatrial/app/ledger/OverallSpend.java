package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.BalanceSeen;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.money.Accrual;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.money.LimitUse;
import dev.seatrial.domain.money.SpendLimit;
import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimit.Window;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.provider.Pricing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** Limits over all evaluations: their rows and their rule. Each method runs inside the caller's transaction. */
final class OverallSpend {
    /** Vendors settle as late as this: what a lease cost that ended since may not have left the balance yet. */
    static final Duration SETTLED = Duration.ofHours(1);

    private static final int SCALE = 6;

    private OverallSpend() {}

    static Optional<SpendLimits> read(Handle h) {
        record Row(SpendLimit limit, String currency, String zone, String fx) {}
        List<Row> rows = h.createQuery("select * from spend_limit order by position")
                .map((rs, context) -> new Row(
                        new SpendLimit(
                                Optional.of(rs.getString("account")).filter(a -> !a.isEmpty()),
                                Period.of(rs.getString("period")),
                                Micros.money(rs.getLong("amount"), rs.getString("currency"))),
                        rs.getString("currency"),
                        rs.getString("zone"),
                        rs.getString("fx")))
                .list();
        return rows.stream()
                .findFirst()
                .map(first -> new SpendLimits(
                        CurrencyUnit.of(first.currency()),
                        ZoneId.of(first.zone()),
                        rates(first.fx()),
                        rows.stream().map(Row::limit).toList()));
    }

    /** @return whether they are others than before */
    static boolean replace(Handle h, Optional<SpendLimits> limits) {
        Optional<SpendLimits> wanted = limits.filter(l -> !l.limits().isEmpty()).map(OverallSpend::stored);
        if (read(h).equals(wanted)) {
            return false;
        }
        h.execute("delete from spend_limit");
        wanted.ifPresent(all -> {
            int position = 0;
            for (SpendLimit limit : all.limits()) {
                h.createUpdate("insert into spend_limit (account, period, amount, currency, zone, fx, position)"
                                + " values (:account, :period, :amount, :currency, :zone, :fx, :position)")
                        .bind("account", limit.account().orElse(""))
                        .bind("period", limit.period().word())
                        .bind("amount", Micros.down(limit.amount()))
                        .bind("currency", all.currency().getCode())
                        .bind("zone", all.zone().getId())
                        .bind("fx", text(all.fx()))
                        .bind("position", position++)
                        .execute();
            }
        });
        return true;
    }

    /** As it will be read again. */
    private static SpendLimits stored(SpendLimits all) {
        return new SpendLimits(
                all.currency(),
                all.zone(),
                rates(text(all.fx())),
                all.limits().stream()
                        .map(l -> new SpendLimit(
                                l.account(),
                                l.period(),
                                Micros.money(
                                        Micros.down(l.amount()), all.currency().getCode())))
                        .toList());
    }

    private static String text(Map<String, BigDecimal> fx) {
        return fx.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(e -> e.getKey() + "=" + e.getValue().toPlainString())
                .collect(Collectors.joining(","));
    }

    private static Map<String, BigDecimal> rates(String fx) {
        Map<String, BigDecimal> rates = new LinkedHashMap<>();
        for (String one : fx.isEmpty() ? new String[0] : fx.split(",")) {
            rates.put(one.substring(0, one.indexOf('=')), new BigDecimal(one.substring(one.indexOf('=') + 1)));
        }
        return rates;
    }

    /** @return why it must not be granted; empty when it fits every limit */
    static Optional<Grant> check(Handle h, LeaseIntent intent, Optional<BalanceSeen> balance, Instant now) {
        Optional<SpendLimits> stored = read(h);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        SpendLimits limits = stored.get();
        String account = intent.offer().provider().value();
        Instant from = intent.timing().requestedAt();
        Instant to = intent.timing().latestGone();
        boolean simulated = simulated(h, intent);
        for (SpendLimit limit : limits.of(account)) {
            Optional<BigMoney> needed = inLimits(limits, intent.timing().reserved(), intent.reservedInPlan());
            if (needed.isEmpty()) {
                return Optional.of(
                        new Grant.Untold(limit, noRate(limits, intent.timing().reserved())));
            }
            if (limit.period() == Period.BALANCE) {
                Optional<Grant> refusal = balance(h, limits, limit, account, needed.get(), balance);
                if (refusal.isPresent()) {
                    return refusal;
                }
                continue;
            }
            List<Window> windows = limit.windows(from, to, limits.zone());
            List<Money> counted = money(h, windows.get(0).from(), now).stream()
                    .filter(m -> m.simulated() == simulated && counts(limit, m))
                    .toList();
            Accrual own = new Accrual(intent.offer().pricing(), from, to, needed.get());
            for (Window window : windows) {
                BigMoney used;
                try {
                    used = sum(limits, counted, window);
                } catch (LedgerException noRate) {
                    return Optional.of(new Grant.Untold(limit, String.valueOf(noRate.getMessage())));
                }
                BigMoney part = own.in(window);
                if (used.plus(part).isGreaterThan(limit.amount()) && part.isPositive()) {
                    LimitUse use = new LimitUse(limit, used, Optional.of(window.to()));
                    return Optional.of(new Grant.Limited(limit, use.left(), part, use.resets()));
                }
            }
        }
        return Optional.empty();
    }

    static List<LimitUse> use(Handle h, SpendLimits limits, boolean simulated, Instant now) {
        List<LimitUse> uses = new ArrayList<>();
        for (SpendLimit limit : limits.limits()) {
            if (limit.period() == Period.BALANCE) {
                uses.add(new LimitUse(limit, BigMoney.zero(limits.currency()), Optional.empty()));
                continue;
            }
            Window window = limit.windows(now, now, limits.zone()).get(0);
            List<Money> counted = money(h, window.from(), now).stream()
                    .filter(m -> m.simulated() == simulated && counts(limit, m))
                    .toList();
            uses.add(new LimitUse(limit, sum(limits, counted, window), Optional.of(window.to())));
        }
        return uses;
    }

    private static Optional<Grant> balance(
            Handle h,
            SpendLimits limits,
            SpendLimit limit,
            String account,
            BigMoney needed,
            Optional<BalanceSeen> balance) {
        if (balance.isEmpty()) {
            return Optional.of(new Grant.Untold(limit, "the vendor does not tell its balance now"));
        }
        Optional<BigMoney> left = limits.down(balance.get().amount());
        if (left.isEmpty()) {
            return Optional.of(
                    new Grant.Untold(limit, noRate(limits, balance.get().amount())));
        }
        BigMoney free = left.get().minus(limit.amount());
        Instant settled = balance.get().askedAt().minus(SETTLED);
        for (Money lease : money(h, settled, balance.get().askedAt())) {
            if (lease.account().equals(account) && (lease.open() || lease.to().isAfter(settled))) {
                Optional<BigMoney> amount = inLimits(limits, lease.own(), lease.inPlan());
                if (amount.isEmpty()) {
                    return Optional.of(new Grant.Untold(limit, noRate(limits, lease.own())));
                }
                free = free.minus(amount.get());
            }
        }
        BigMoney fits = free.isNegative() ? BigMoney.zero(free.getCurrencyUnit()) : free;
        return needed.isGreaterThan(free)
                ? Optional.of(new Grant.Limited(limit, fits, needed, Optional.empty()))
                : Optional.empty();
    }

    private static boolean counts(SpendLimit limit, Money money) {
        return limit.account().map(money.account()::equals).orElse(true);
    }

    private static BigMoney sum(SpendLimits limits, List<Money> leases, Window window) {
        BigMoney sum = BigMoney.zero(limits.currency()).withScale(SCALE);
        for (Money lease : leases) {
            BigMoney amount = inLimits(limits, lease.own(), lease.inPlan())
                    .orElseThrow(() -> Leases.invalid(noRate(limits, lease.own())));
            sum = sum.plus(new Accrual(lease.pricing(), lease.from(), lease.to(), amount).in(window));
        }
        return sum;
    }

    /** As the vendor bills it where there is a rate for that, else as the plan counts it. */
    private static Optional<BigMoney> inLimits(SpendLimits limits, BigMoney own, BigMoney inPlan) {
        return limits.up(own).or(() -> limits.up(inPlan));
    }

    private static String noRate(SpendLimits limits, BigMoney amount) {
        return "the configuration's limits.fx has no rate from " + amount.getCurrencyUnit() + " to "
                + limits.currency();
    }

    /**
     * A lease's money.
     *
     * @param own in the vendor's currency: cost when closed, else the most it may come to
     * @param inPlan the same in its plan's currency
     */
    private record Money(
            String account,
            boolean simulated,
            boolean open,
            Pricing pricing,
            Instant from,
            Instant to,
            BigMoney own,
            BigMoney inPlan) {}

    private static List<Money> money(Handle h, Instant since, Instant now) {
        return h.createQuery("select lease.*, trial.simulated as simulated from lease join trial"
                        + " on trial.evaluation = lease.evaluation and trial.candidate = lease.candidate"
                        + " where lease.state <> 'NOT_CREATED'"
                        + " and (lease.released_at is null or lease.released_at > :since)")
                .bind("since", since.toEpochMilli())
                .map((rs, context) -> money(Rows.lease(rs), rs.getBoolean("simulated"), now))
                .list();
    }

    private static Money money(LeaseRow row, boolean simulated, Instant now) {
        boolean open = !row.state().terminal();
        LeaseTiming timing = row.timing();
        Instant to = row.releasedAt().orElse(timing.latestGone());
        BigMoney own = row.cost().orElse(timing.reserved());
        BigMoney inPlan = row.costInPlan().map(c -> c.plus(row.overrunInPlan())).orElse(row.reservedInPlan());
        if (open && row.state() == LeaseState.OVERDUE && now.isAfter(to)) {
            // What it had reserved is used up and the vendor goes on billing.
            to = now;
            own = LeaseTiming.cost(row.pricing(), Duration.between(timing.requestedAt(), now));
            inPlan = BigMoney.of(
                    inPlan.getCurrencyUnit(),
                    own.getAmount().multiply(new BigDecimal(row.fxRate())).setScale(SCALE, RoundingMode.CEILING));
        }
        return new Money(row.provider().value(), simulated, open, row.pricing(), timing.requestedAt(), to, own, inPlan);
    }

    private static boolean simulated(Handle h, LeaseIntent intent) {
        return h.createQuery("select simulated from trial where evaluation = :evaluation and candidate = :candidate")
                .bind("evaluation", intent.key().evaluation())
                .bind("candidate", intent.key().candidate())
                .mapTo(Integer.class)
                .findOne()
                .map(s -> s == 1)
                .orElse(false);
    }
}
