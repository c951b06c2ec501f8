package dev.seatrial.app.ledger;

import dev.seatrial.app.ledger.MoneyRule.Decision;
import dev.seatrial.app.ledger.MoneyRule.LeaseMoney;
import dev.seatrial.app.ledger.MoneyRule.TrialMoney;
import dev.seatrial.domain.ledger.BalanceSeen;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseIntent;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.Spend;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.SshEndpoint;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.joda.money.BigMoney;

/** Statements on leases, their stories and their money. Each method runs inside the caller's transaction. */
final class Leases {
    private static final int MAX_DETAIL = 2_000;
    private static final String TERMINAL = Stream.of(LeaseState.values())
            .filter(LeaseState::terminal)
            .map(state -> "'" + state + "'")
            .collect(Collectors.joining(", "));

    private Leases() {}

    static Grant reserve(
            Handle h,
            String installation,
            LeaseIntent intent,
            String owner,
            Optional<BalanceSeen> balance,
            Instant now) {
        LeaseKey key = intent.key();
        Optional<Grant> known = known(h, intent);
        if (known.isPresent()) {
            return known.get();
        }
        Account account = account(h, key.evaluation());
        long amount = planMicros(account, intent.reservedInPlan());
        if (amount < 0) {
            throw invalid("a negative amount cannot be reserved: " + intent.reservedInPlan());
        }
        if (account.rule().trials().stream().noneMatch(t -> t.candidate().equals(key.candidate()))) {
            throw invalid("evaluation " + key.evaluation() + " has no candidate " + key.candidate());
        }
        if (account.status().ended()) {
            return new Grant.Refused("ended", Micros.money(0, account.currency()));
        }
        Decision decision = decide(account, intent, amount);
        if (decision instanceof Decision.No no) {
            return new Grant.Refused(no.cap(), Micros.money(no.missing(), account.currency()));
        }
        if (decision instanceof Decision.Wait wait) {
            return new Grant.Later(Micros.money(wait.kept(), account.currency()));
        }
        Optional<Grant> limited = OverallSpend.check(h, intent, balance, now);
        if (limited.isPresent()) {
            return limited.get();
        }
        String id = LeaseIds.lease(installation, key);
        insert(h, installation, id, intent, amount, owner);
        event(h, id, word(LeaseState.INTENDED), "reserved " + intent.reservedInPlan(), now);
        return new Grant.Granted(byId(h, id).orElseThrow());
    }

    /** The answer to a request that was granted before. */
    static Optional<Grant> known(Handle h, LeaseIntent intent) {
        return byKey(h, intent.key()).map(Grant.Granted::new);
    }

    static int lastOrdinal(Handle h, String evaluation, String candidate, Phase phase) {
        return h.createQuery("select coalesce(max(ordinal), 0) from lease"
                        + " where evaluation = :evaluation and candidate = :candidate and phase = :phase")
                .bind("evaluation", evaluation)
                .bind("candidate", candidate)
                .bind("phase", phase.word())
                .mapTo(Integer.class)
                .one();
    }

    static Optional<LeaseRow> byId(Handle h, String id) {
        return rows(h, "where id = :id", q -> q.bind("id", id)).stream().findFirst();
    }

    static List<LeaseRow> ofEvaluation(Handle h, String evaluation) {
        return rows(h, "where evaluation = :evaluation order by position", q -> q.bind("evaluation", evaluation));
    }

    static List<LeaseRow> open(Handle h) {
        return rows(h, "where state not in (" + TERMINAL + ") order by requested_at, evaluation, position", q -> q);
    }

    static List<LeaseRow> all(Handle h) {
        return rows(h, "order by requested_at, evaluation, position", q -> q);
    }

    static Optional<LeaseRow> move(
            Handle h, String id, long fence, LeaseState to, LeaseChange change, String detail, Instant at) {
        LeaseRow row = byId(h, id).orElseThrow(() -> invalid("the ledger has no lease " + id));
        if (row.fence() != fence) {
            return Optional.empty();
        }
        boolean stays = row.state() == to;
        if (!stays && !row.state().next().contains(to)) {
            throw invalid("lease " + id + " is " + row.state() + " and cannot become " + to);
        }
        int changed = update(h, row, to, change);
        if (changed == 0) {
            return Optional.empty();
        }
        event(h, id, stays ? "update" : word(to), detail, at);
        return byId(h, id);
    }

    static void event(Handle h, String lease, String type, String detail, Instant at) {
        h.createUpdate(
                        "insert into lease_event (lease, seq, at, type, detail) values (:lease,"
                                + " (select coalesce(max(seq), 0) + 1 from lease_event where lease = :lease), :at, :type, :detail)")
                .bind("lease", lease)
                .bind("at", at.toEpochMilli())
                .bind("type", type)
                .bind("detail", detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail)
                .execute();
    }

    static List<LeaseEvent> events(Handle h, String lease) {
        return h.createQuery("select * from lease_event where lease = :lease order by seq")
                .bind("lease", lease)
                .map((rs, context) -> new LeaseEvent(
                        rs.getString("lease"),
                        rs.getLong("seq"),
                        Instant.ofEpochMilli(rs.getLong("at")),
                        rs.getString("type"),
                        rs.getString("detail")))
                .list();
    }

    /** @param candidate one candidate, or all */
    static Spend spend(Handle h, String evaluation, Optional<String> candidate) {
        Account account = account(h, evaluation);
        MoneyRule.Sums sums = MoneyRule.Sums.of(account.rule().leases().stream()
                .filter(l -> candidate.isEmpty() || candidate.get().equals(l.candidate()))
                .toList());
        return new Spend(
                Micros.money(sums.spent(), account.currency()),
                Micros.money(sums.reserved(), account.currency()),
                Micros.money(sums.overrun(), account.currency()));
    }

    private record Account(String currency, EvaluationStatus status, MoneyRule rule) {}

    private static Account account(Handle h, String evaluation) {
        List<TrialMoney> trials = h.createQuery("select * from trial where evaluation = :id")
                .bind("id", evaluation)
                .map((rs, context) -> new TrialMoney(
                        rs.getString("candidate"),
                        Rows.optionalLong(rs, "cap"),
                        rs.getBoolean("single_done"),
                        rs.getLong("single_earmark")))
                .list();
        List<LeaseMoney> leases = h.createQuery("select * from lease where evaluation = :id")
                .bind("id", evaluation)
                .map((rs, context) -> new LeaseMoney(
                        rs.getString("candidate"),
                        rs.getString("provider"),
                        Phase.of(rs.getString("phase")),
                        LeaseState.valueOf(rs.getString("state")),
                        rs.getLong("reserved_in_plan"),
                        Rows.optionalLong(rs, "cost_in_plan"),
                        rs.getLong("overrun_in_plan")))
                .list();
        return h.createQuery("select currency, cap, status from evaluation where id = :id")
                .bind("id", evaluation)
                .map((rs, context) -> new Account(
                        rs.getString("currency"),
                        EvaluationStatus.of(rs.getString("status")),
                        new MoneyRule(rs.getLong("cap"), trials, leases)))
                .findOne()
                .orElseThrow(() -> invalid("the ledger has no evaluation " + evaluation));
    }

    private static Decision decide(Account account, LeaseIntent intent, long amount) {
        try {
            return account.rule()
                    .decide(
                            intent.key().candidate(),
                            intent.offer().provider().value(),
                            intent.key().phase(),
                            amount);
        } catch (ArithmeticException tooLarge) {
            throw invalid("amounts are too large for the ledger: " + intent.reservedInPlan());
        }
    }

    private static long planMicros(Account account, BigMoney amount) {
        if (!amount.getCurrencyUnit().getCode().equals(account.currency())) {
            throw invalid("the evaluation counts in " + account.currency() + ", not in " + amount.getCurrencyUnit());
        }
        return Micros.up(amount);
    }

    private static void insert(
            Handle h, String installation, String id, LeaseIntent intent, long reservedInPlan, String owner) {
        LeaseKey key = intent.key();
        Pricing pricing = intent.offer().pricing();
        h.createUpdate(
                        "insert into lease (id, evaluation, candidate, phase, ordinal, position, provider, offer, region,"
                                + " gpu, gpus, name, token, currency, price_hourly, storage_hourly, increment, minimum_billing,"
                                + " requested_at, deadline, latest_gone, reserved, plan_currency, reserved_in_plan, fx_rate,"
                                + " borrowed, state, fence, overrun_in_plan, note, owner) values (:id, :evaluation, :candidate,"
                                + " :phase, :ordinal, (select count(*) + 1 from lease where evaluation = :evaluation), :provider,"
                                + " :offer, :region, :gpu, :gpus, :name, :token, :currency, :priceHourly, :storageHourly,"
                                + " :increment, :minimumBilling, :requestedAt, :deadline, :latestGone, :reserved, :planCurrency,"
                                + " :reservedInPlan, :fxRate, :borrowed, 'INTENDED', 1, 0, '', :owner)")
                .bind("id", id)
                .bind("evaluation", key.evaluation())
                .bind("candidate", key.candidate())
                .bind("phase", key.phase().word())
                .bind("ordinal", key.ordinal())
                .bind("provider", intent.offer().provider().value())
                .bind("offer", intent.offer().id().value())
                .bind("region", intent.offer().region())
                .bind("gpu", intent.offer().gpu())
                .bind("gpus", intent.gpus())
                .bind("name", new LeaseName(installation, id, intent.timing().deadline()).text())
                .bind("token", LeaseIds.token(installation, key))
                .bind("currency", pricing.hourly().getCurrencyUnit().getCode())
                .bind("priceHourly", pricing.hourly().getAmount().toPlainString())
                .bind("storageHourly", pricing.storageHourly().getAmount().toPlainString())
                .bind("increment", pricing.increment().name())
                .bind("minimumBilling", pricing.minimumBilling().toMillis())
                .bind("requestedAt", intent.timing().requestedAt().toEpochMilli())
                .bind("deadline", intent.timing().deadline().toEpochMilli())
                .bind("latestGone", intent.timing().latestGone().toEpochMilli())
                .bind("reserved", Micros.up(intent.timing().reserved()))
                .bind("planCurrency", intent.reservedInPlan().getCurrencyUnit().getCode())
                .bind("reservedInPlan", reservedInPlan)
                .bind("fxRate", intent.fxRate())
                .bind("borrowed", intent.borrowed() ? 1 : 0)
                .bind("owner", owner)
                .execute();
    }

    private static int update(Handle h, LeaseRow row, LeaseState to, LeaseChange change) {
        String plan = row.reservedInPlan().getCurrencyUnit().getCode();
        String own = row.pricing().hourly().getCurrencyUnit().getCode();
        return h.createUpdate("update lease set state = :to, fence = fence + 1,"
                        + " instance = coalesce(:instance, instance),"
                        + " ssh_host = coalesce(:sshHost, ssh_host),"
                        + " ssh_port = coalesce(:sshPort, ssh_port),"
                        + " ssh_user = coalesce(:sshUser, ssh_user),"
                        + " sent_at = coalesce(:sentAt, sent_at),"
                        + " ready_at = coalesce(:readyAt, ready_at),"
                        + " release_asked_at = coalesce(:releaseAskedAt, release_asked_at),"
                        + " released_at = coalesce(:releasedAt, released_at),"
                        + " cost = coalesce(:cost, cost),"
                        + " cost_in_plan = coalesce(:costInPlan, cost_in_plan),"
                        + " overrun_in_plan = coalesce(:overrunInPlan, overrun_in_plan),"
                        + " note = coalesce(:note, note)"
                        + " where id = :id and state = :from and fence = :fence")
                .bind("to", to.name())
                .bind("instance", change.instance().map(InstanceId::value).orElse(null))
                .bind("sshHost", change.endpoint().map(SshEndpoint::host).orElse(null))
                .bind("sshPort", change.endpoint().map(SshEndpoint::port).orElse(null))
                .bind("sshUser", change.endpoint().map(SshEndpoint::user).orElse(null))
                .bind("sentAt", Rows.millis(change.sentAt()))
                .bind("readyAt", Rows.millis(change.readyAt()))
                .bind("releaseAskedAt", Rows.millis(change.releaseAskedAt()))
                .bind("releasedAt", Rows.millis(change.releasedAt()))
                .bind("cost", micros(change.cost(), own))
                .bind("costInPlan", micros(change.costInPlan(), plan))
                .bind("overrunInPlan", micros(change.overrunInPlan(), plan))
                .bind("note", change.note().orElse(null))
                .bind("id", row.id())
                .bind("from", row.state().name())
                .bind("fence", row.fence())
                .execute();
    }

    private static @org.jspecify.annotations.Nullable Long micros(Optional<BigMoney> amount, String currency) {
        amount.filter(m -> !m.getCurrencyUnit().getCode().equals(currency)).ifPresent(m -> {
            throw invalid("this lease counts in " + currency + ", not in " + m.getCurrencyUnit());
        });
        return amount.map(Micros::up).orElse(null);
    }

    private static Optional<LeaseRow> byKey(Handle h, LeaseKey key) {
        return rows(
                        h,
                        "where evaluation = :evaluation and candidate = :candidate and phase = :phase and ordinal = :ordinal",
                        q -> q.bind("evaluation", key.evaluation())
                                .bind("candidate", key.candidate())
                                .bind("phase", key.phase().word())
                                .bind("ordinal", key.ordinal()))
                .stream()
                .findFirst();
    }

    private static List<LeaseRow> rows(Handle h, String rest, java.util.function.UnaryOperator<Query> binds) {
        return binds.apply(h.createQuery("select * from lease " + rest))
                .map((rs, context) -> Rows.lease(rs))
                .list();
    }

    private static String word(LeaseState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    static LedgerException invalid(String words) {
        return new LedgerException(LedgerException.Kind.INVALID, words);
    }
}
