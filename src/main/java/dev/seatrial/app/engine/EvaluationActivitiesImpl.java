package dev.seatrial.app.engine;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.workflow.CapRaise;
import dev.seatrial.workflow.EvaluationActivities;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.TrialOutcome;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/** Writes an evaluation's status and end. */
public final class EvaluationActivitiesImpl implements EvaluationActivities {
    private final Ledger ledger;
    private final InstantSource clock;
    private final SideBySide sideBySide;
    private final Consumer<String> report;

    /** @param report makes the report of an evaluation, by its id; its failure is its own to tell */
    public EvaluationActivitiesImpl(
            Ledger ledger, SideBySide sideBySide, InstantSource clock, Consumer<String> report) {
        this.ledger = ledger;
        this.sideBySide = sideBySide;
        this.clock = clock;
        this.report = report;
    }

    @Override
    public void conclude(String evaluation, List<TrialOutcome> outcomes, String failure) {
        // A cancelled trial cannot tell whether it rented anything; the ledger can.
        boolean rented =
                ledger.leases(evaluation).stream().anyMatch(l -> l.readyAt().isPresent());
        sideBySide.compare(evaluation);
        ledger.evaluationStatus(
                evaluation, status(outcomes, rented, failure), note(outcomes, failure), clock.instant());
        report.accept(evaluation);
    }

    @Override
    public void raiseCap(String evaluation, CapRaise raise) {
        try {
            if (raise.candidate().isPresent()) {
                ledger.raiseCandidateCap(evaluation, raise.candidate().get(), raise.cap(), clock.instant());
            } else {
                ledger.raiseCap(evaluation, raise.cap(), clock.instant());
            }
        } catch (LedgerException e) {
            if (e.kind() == LedgerException.Kind.INVALID) {
                throw NotYet.never(String.valueOf(e.getMessage()));
            }
            throw e;
        }
        ledger.audit(
                raise.who(),
                "raise-cap",
                evaluation + raise.candidate().map(c -> "/" + c).orElse("") + ": " + raise.cap(),
                clock.instant());
    }

    @Override
    public void awaitingApproval(String evaluation) {
        boolean waiting =
                ledger.trials(evaluation).stream().anyMatch(t -> t.state().equals("approval"));
        ledger.evaluationStatus(
                evaluation,
                waiting ? EvaluationStatus.AWAITING_APPROVAL : EvaluationStatus.RUNNING,
                "",
                clock.instant());
    }

    static EvaluationStatus status(List<TrialOutcome> outcomes, boolean rented, String failure) {
        if (!failure.isEmpty()) {
            return EvaluationStatus.FAILED;
        }
        if (outcomes.stream().anyMatch(TrialOutcome::cancelled)) {
            return EvaluationStatus.CANCELLED;
        }
        if (outcomes.stream().anyMatch(TrialOutcome::budgetStopped)) {
            return EvaluationStatus.STOPPED_BY_BUDGET;
        }
        return !rented && outcomes.stream().noneMatch(TrialOutcome::rented)
                ? EvaluationStatus.NOTHING_RENTED
                : EvaluationStatus.COMPLETED;
    }

    private static String note(List<TrialOutcome> outcomes, String failure) {
        if (!failure.isEmpty()) {
            return failure;
        }
        return outcomes.stream()
                .filter(TrialOutcome::budgetStopped)
                .map(o -> o.candidate() + ": " + o.reason())
                .reduce((a, b) -> a + "; " + b)
                .orElse("");
    }
}
