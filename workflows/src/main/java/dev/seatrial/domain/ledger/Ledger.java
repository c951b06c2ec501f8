package dev.seatrial.domain.ledger;

import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.money.LimitUse;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.domain.plan.Plan;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * The durable record of every lease and cent. Every method commits before it returns or throws {@link LedgerException}
 * and has changed nothing. Safe for several threads and several processes. Instants are kept to the millisecond, money to
 * the millionth.
 */
public interface Ledger extends AutoCloseable {
    /** This ledger's id, made once: 8 of {@code [a-z0-9]}. */
    String installation();

    /**
     * Records an evaluation with its trials before anything is rented. Idempotent by id.
     *
     * <p>Each trial row carries the micros of the plan currency kept for its single phase until that is over.
     */
    void openEvaluation(EvaluationRow evaluation, Plan plan, List<TrialRow> trials);

    /** Sets status, note and, when the status is an end, the end. Does nothing to an evaluation that has ended, except that INTERRUPTED may become RUNNING again. */
    void evaluationStatus(String evaluation, EvaluationStatus status, String note, Instant at);

    /** Gives a resumed evaluation to another owner. */
    void evaluationOwner(String evaluation, String owner);

    Optional<EvaluationRow> evaluation(String id);

    /** Newest first. */
    List<EvaluationRow> evaluations(int limit);

    List<TrialRow> trials(String evaluation);

    /** Replaces the row with the same evaluation and candidate; its cap stays as the plan gave it. */
    void trial(TrialRow row);

    /**
     * Decides on money in one transaction. Idempotent by key: a repeated request gets the row as it is now, whatever has
     * become of it. With <em>used</em> = spent + overrun + reserved by open leases, and <em>kept</em> = what other
     * candidates whose single phase is not over have not drawn of their earmarks yet:
     *
     * <ul>
     *   <li>the evaluation has ended: refused as {@code ended};
     *   <li>the same vendor account has an overrun or an overdue lease in this evaluation: refused as {@code overrun} (law 5);
     *   <li>used by the candidate + this &gt; its cap: refused as {@code candidate};
     *   <li>used + kept + this ≤ cap: granted. A candidate's own earmark never stands in its way;
     *   <li>{@link dev.seatrial.domain.plan.Phase#MULTI}, and it would fit if those single phases were over and cost
     *       nothing more: later;
     *   <li>else refused as {@code evaluation}.
     * </ul>
     *
     * @param owner see {@link LeaseRow#owner()}
     */
    default Grant reserve(LeaseIntent intent, String owner) {
        return reserve(intent, owner, Optional.empty());
    }

    /**
     * As above; what would be granted must then also fit every {@link SpendLimits limit} over all evaluations, in each day
     * and month that the lease may reach into: else {@link Grant.Limited}. Where a balance must be kept, what open leases of
     * that account may still cost and what those closed within the last hour did cost counts as not yet billed.
     *
     * @param balance the account's balance, asked for just before; empty when it is not known, which is refused as
     *     {@link Grant.Untold} where a balance must be kept
     */
    Grant reserve(LeaseIntent intent, String owner, Optional<BalanceSeen> balance);

    /** Whether spending is stopped as a whole. Nothing that was granted before may be created any more. */
    Optional<SpendingStop> spendingStopped();

    /** Replaces the limits over all evaluations. @return whether they are others than before */
    boolean spendLimits(Optional<SpendLimits> limits);

    /** The limits over all evaluations; empty when there are none. */
    Optional<SpendLimits> spendLimits();

    /**
     * How far limits are used now, by real or by simulated money.
     *
     * @param limits those in the ledger or others, in their own order
     * @throws LedgerException of kind INVALID when money of a currency without a rate counts
     */
    List<LimitUse> limitUse(SpendLimits limits, boolean simulated, Instant now);

    /** Ordinals already used for (evaluation, candidate, phase): the highest, or 0. */
    int lastOrdinal(String evaluation, String candidate, dev.seatrial.domain.plan.Phase phase);

    Optional<LeaseRow> lease(String id);

    /** In order of request. */
    List<LeaseRow> leases(String evaluation);

    /** Every lease of every evaluation that is not terminal. */
    List<LeaseRow> openLeases();

    /** Leases by name, terminal ones too; for the sweep. */
    Map<String, LeaseRow> leasesByName();

    /**
     * Moves a lease if it still has this fence and its state permits the move; writes the event in the same transaction.
     * Moving to the state it already has changes only the fields (same fence rule) and is told as {@code update}.
     *
     * @return the row after the change; empty when somebody else has moved it since
     * @throws LedgerException of kind INVALID when there is no such lease, or the state it has at this fence does not
     *     permit the move
     */
    Optional<LeaseRow> move(String lease, long fence, LeaseState to, LeaseChange change, String detail, Instant at);

    /** Appends a line to a lease's story. */
    void leaseEvent(String lease, String type, String detail, Instant at);

    List<LeaseEvent> leaseEvents(String lease);

    /** Spent, reserved, overrun of the whole evaluation. A closed lease without a known cost counts with all it had reserved. */
    Spend spend(String evaluation);

    Spend spend(String evaluation, String candidate);

    /**
     * Raises the evaluation's cap; pays for new leases only.
     *
     * @throws LedgerException of kind INVALID when it is below the present cap or in another currency
     */
    void raiseCap(String evaluation, BigMoney cap, Instant at);

    BigMoney cap(String evaluation);

    /**
     * Raises a candidate's own cap; pays for new leases only.
     *
     * @throws LedgerException of kind INVALID when it is below the present one, in another currency, or when there is no
     *     such candidate or it has no cap of its own
     */
    void raiseCandidateCap(String evaluation, String candidate, BigMoney cap, Instant at);

    /** A candidate's own cap, if it has one. */
    Optional<BigMoney> candidateCap(String evaluation, String candidate);

    /** Inserts the run, or returns the one there is with this id. */
    StageRunRow startStage(StageRunRow row);

    Optional<StageRunRow> stageRun(String id);

    List<StageRunRow> stageRuns(String evaluation);

    /**
     * Stores events and the new offset in one transaction. Events whose seq is stored already are ignored; a stale
     * {@code fromOffset} (not the stored one) changes nothing. A line above {@link StoredEvent#MAX_LINE} is not kept; an
     * event {@code {"seatrial":1,"type":"dropped"}} with its size stands in for it.
     *
     * @return the stored offset afterwards
     */
    long appendEvents(
            String stageRun,
            long fromOffset,
            long toOffset,
            List<StoredEvent> events,
            double progress,
            String progressText);

    List<StoredEvent> stageEvents(String stageRun);

    /** Notes the end on the machine; the first end told stays. */
    void stageEnded(String stageRun, String end, Instant at);

    /** Stores the judged result and its measurements and findings; replaces an earlier one of the same run. */
    void stageResult(String evaluation, String candidate, StageResult result);

    /** Judged results in order of start, repeats included. */
    List<StageResult> stageResults(String evaluation, String candidate);

    /**
     * Keeps a raw output, compressed. Of a content above {@link ArtifactRow#MAX_KEPT} the first so many bytes are kept;
     * the row still tells the whole size and digest. Replaces one of the same name.
     */
    void artifact(ArtifactRow row, byte[] content);

    List<ArtifactRow> artifacts(String stageRun);

    Optional<byte[]> artifactContent(String stageRun, String name);

    /** Who did what that spends or stops spending. */
    void audit(String who, String what, String subject, Instant at);

    /** Newest first. */
    List<AuditRow> audits(int limit);

    /**
     * Registers a process that runs evaluations by the embedded engine, or renews its heartbeat.
     *
     * @param owner as in {@link EvaluationRow#owner()}
     */
    void heartbeat(String owner, Instant at);

    /** Last heartbeat of an owner. */
    Optional<Instant> lastHeartbeat(String owner);

    @Override
    void close();
}
