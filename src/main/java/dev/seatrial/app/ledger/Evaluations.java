package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.joda.money.BigMoney;
import org.jspecify.annotations.Nullable;

/** Statements on evaluations, trials, owners and the audit. Each method runs inside the caller's transaction. */
final class Evaluations {
    private Evaluations() {}

    static void open(Handle h, EvaluationRow row, Plan plan, List<TrialRow> trials) {
        BigMoney cap = plan.budget().cap();
        int inserted = h.createUpdate(
                        "insert into evaluation (id, plan_name, plan_hash, plan_json, currency, cap, status,"
                                + " simulated, owner, started_at, ended_at, note) values (:id, :planName, :planHash, :planJson,"
                                + " :currency, :cap, :status, :simulated, :owner, :startedAt, :endedAt, :note)"
                                + " on conflict (id) do nothing")
                .bind("id", row.id())
                .bind("planName", row.planName())
                .bind("planHash", row.planHash())
                .bind("planJson", row.planJson())
                .bind("currency", cap.getCurrencyUnit().getCode())
                .bind("cap", Micros.down(cap))
                .bind("status", row.status().word())
                .bind("simulated", row.simulated() ? 1 : 0)
                .bind("owner", row.owner())
                .bind("startedAt", row.startedAt().toEpochMilli())
                .bind("endedAt", Rows.millis(row.endedAt()))
                .bind("note", row.note())
                .execute();
        if (inserted == 0) {
            return;
        }
        for (TrialRow trial : trials) {
            if (!trial.evaluation().equals(row.id())) {
                throw Leases.invalid("a trial of " + trial.evaluation() + " does not belong to " + row.id());
            }
            bind(
                            h.createUpdate(
                                    "insert into trial (evaluation, candidate, provider, position, simulated, cap,"
                                            + " state, phase, stage, single_done, single_earmark, verdict, reason, stopped_at,"
                                            + " coverage_environment, coverage_performance, coverage_stability) values (:evaluation,"
                                            + " :candidate, :provider, :position, :simulated, :cap, :state, :phase, :stage,"
                                            + " :singleDone, :singleEarmark, :verdict, :reason, :stoppedAt, :environment,"
                                            + " :performance, :stability)"),
                            trial)
                    .bind("cap", candidateCap(plan, trial.candidate()))
                    .execute();
        }
    }

    static void status(Handle h, String evaluation, EvaluationStatus status, String note, Instant at) {
        EvaluationStatus now = byId(h, evaluation)
                .orElseThrow(() -> Leases.invalid("the ledger has no evaluation " + evaluation))
                .status();
        boolean resumed = now == EvaluationStatus.INTERRUPTED && status == EvaluationStatus.RUNNING;
        if (now.ended() && !resumed) {
            return;
        }
        h.createUpdate("update evaluation set status = :status, note = :note, ended_at = :endedAt where id = :id")
                .bind("status", status.word())
                .bind("note", note)
                .bind("endedAt", status.ended() ? (Long) at.toEpochMilli() : null)
                .bind("id", evaluation)
                .execute();
    }

    static void owner(Handle h, String evaluation, String owner) {
        int changed = h.createUpdate("update evaluation set owner = :owner where id = :id")
                .bind("owner", owner)
                .bind("id", evaluation)
                .execute();
        if (changed == 0) {
            throw Leases.invalid("the ledger has no evaluation " + evaluation);
        }
    }

    static Optional<EvaluationRow> byId(Handle h, String id) {
        return h.createQuery("select * from evaluation where id = :id")
                .bind("id", id)
                .map((rs, context) -> Rows.evaluation(rs))
                .findOne();
    }

    static List<EvaluationRow> newest(Handle h, int limit) {
        return h.createQuery("select * from evaluation order by started_at desc, id limit :limit")
                .bind("limit", limit)
                .map((rs, context) -> Rows.evaluation(rs))
                .list();
    }

    static List<TrialRow> trials(Handle h, String evaluation) {
        return h.createQuery("select * from trial where evaluation = :evaluation order by position, candidate")
                .bind("evaluation", evaluation)
                .map((rs, context) -> Rows.trial(rs))
                .list();
    }

    static void replace(Handle h, TrialRow row) {
        int changed = bind(
                        h.createUpdate("update trial set provider = :provider, position = :position,"
                                + " simulated = :simulated, state = :state, phase = :phase, stage = :stage,"
                                + " single_done = :singleDone, single_earmark = :singleEarmark, verdict = :verdict,"
                                + " reason = :reason, stopped_at = :stoppedAt, coverage_environment = :environment,"
                                + " coverage_performance = :performance, coverage_stability = :stability"
                                + " where evaluation = :evaluation and candidate = :candidate"),
                        row)
                .execute();
        if (changed == 0) {
            throw Leases.invalid("evaluation " + row.evaluation() + " has no candidate " + row.candidate());
        }
    }

    static BigMoney cap(Handle h, String evaluation) {
        return h.createQuery("select currency, cap from evaluation where id = :id")
                .bind("id", evaluation)
                .map((rs, context) -> Micros.money(rs.getLong("cap"), rs.getString("currency")))
                .findOne()
                .orElseThrow(() -> Leases.invalid("the ledger has no evaluation " + evaluation));
    }

    static void raiseCap(Handle h, String evaluation, BigMoney cap) {
        checkRaise(cap(h, evaluation), cap);
        h.createUpdate("update evaluation set cap = :cap where id = :id")
                .bind("cap", Micros.down(cap))
                .bind("id", evaluation)
                .execute();
    }

    static Optional<BigMoney> candidateCap(Handle h, String evaluation, String candidate) {
        String currency = cap(h, evaluation).getCurrencyUnit().getCode();
        return h.createQuery("select cap from trial where evaluation = :id and candidate = :candidate")
                .bind("id", evaluation)
                .bind("candidate", candidate)
                .map((rs, context) -> Rows.optionalLong(rs, "cap"))
                .findOne()
                .filter(OptionalLong::isPresent)
                .map(micros -> Micros.money(micros.getAsLong(), currency));
    }

    static void raiseCandidateCap(Handle h, String evaluation, String candidate, BigMoney cap) {
        BigMoney now = candidateCap(h, evaluation, candidate)
                .orElseThrow(() -> Leases.invalid(
                        "evaluation " + evaluation + " has no candidate " + candidate + " with a cap of its own"));
        checkRaise(now, cap);
        h.createUpdate("update trial set cap = :cap where evaluation = :id and candidate = :candidate")
                .bind("cap", Micros.down(cap))
                .bind("id", evaluation)
                .bind("candidate", candidate)
                .execute();
    }

    private static void checkRaise(BigMoney now, BigMoney cap) {
        if (!now.getCurrencyUnit().equals(cap.getCurrencyUnit())) {
            throw Leases.invalid(
                    "the evaluation counts in " + now.getCurrencyUnit() + ", not in " + cap.getCurrencyUnit());
        }
        if (cap.isLessThan(now)) {
            throw Leases.invalid("the cap is " + now + "; it can be raised, not lowered to " + cap);
        }
    }

    static void audit(Handle h, AuditRow row) {
        h.createUpdate("insert into audit (at, who, what, subject) values (:at, :who, :what, :subject)")
                .bind("at", row.at().toEpochMilli())
                .bind("who", row.who())
                .bind("what", row.what())
                .bind("subject", row.subject())
                .execute();
    }

    static List<AuditRow> audits(Handle h, int limit) {
        return h.createQuery("select * from audit order by at desc limit :limit")
                .bind("limit", limit)
                .map((rs, context) -> new AuditRow(
                        Rows.instant(rs, "at"), rs.getString("who"), rs.getString("what"), rs.getString("subject")))
                .list();
    }

    static void heartbeat(Handle h, String owner, Instant at) {
        h.createUpdate("insert into owner_heartbeat (owner, at) values (:owner, :at)"
                        + " on conflict (owner) do update set at = excluded.at where excluded.at > owner_heartbeat.at")
                .bind("owner", owner)
                .bind("at", at.toEpochMilli())
                .execute();
    }

    static Optional<Instant> lastHeartbeat(Handle h, String owner) {
        return h.createQuery("select at from owner_heartbeat where owner = :owner")
                .bind("owner", owner)
                .map((rs, context) -> Rows.instant(rs, "at"))
                .findOne();
    }

    /** Empty also for a candidate that the plan does not know: its trial can still be recorded as not rentable. */
    private static @Nullable Long candidateCap(Plan plan, String candidate) {
        return plan.candidates().stream()
                .filter(c -> c.name().equals(candidate))
                .findFirst()
                .flatMap(Candidate::cap)
                .map(cap -> {
                    if (!cap.getCurrencyUnit().equals(plan.budget().currency())) {
                        throw Leases.invalid("the cap of " + candidate + " must be in "
                                + plan.budget().currency());
                    }
                    return Micros.down(cap);
                })
                .orElse(null);
    }

    private static <S extends SqlStatement<S>> S bind(S statement, TrialRow row) {
        return statement
                .bind("evaluation", row.evaluation())
                .bind("candidate", row.candidate())
                .bind("provider", row.provider())
                .bind("position", row.position())
                .bind("simulated", row.simulated() ? 1 : 0)
                .bind("state", row.state())
                .bind("phase", row.phase())
                .bind("stage", row.stage())
                .bind("singleDone", row.singleDone() ? 1 : 0)
                .bind("singleEarmark", row.singleEarmark())
                .bind("verdict", row.verdict().map(Verdict::name).orElse(null))
                .bind("reason", row.reason())
                .bind("stoppedAt", row.stoppedAt().orElse(null))
                .bind("environment", row.coverage().environment().word())
                .bind("performance", row.coverage().performance().word())
                .bind("stability", row.coverage().stability().word());
    }
}
