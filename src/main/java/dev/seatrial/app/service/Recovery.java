package dev.seatrial.app.service;

import dev.seatrial.app.lease.LeaseActivitiesImpl;
import dev.seatrial.app.lease.ReleaseStep;
import dev.seatrial.app.lease.Releaser;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Takes over what a dead embedded owner has left: marks its evaluations interrupted and releases its leases until they
 * are proven gone. Leases of an external engine are left to it until their deadline.
 */
public final class Recovery {
    private static final int EVALUATIONS = 1_000;

    private final Ledger ledger;
    private final Releaser releaser;
    private final InstantSource clock;
    private final Predicate<String> ownerDead;

    /** @param ownerDead whether an owner string names a process proven dead (its lock is free) */
    public Recovery(Ledger ledger, Releaser releaser, InstantSource clock, Predicate<String> ownerDead) {
        this.ledger = ledger;
        this.releaser = releaser;
        this.clock = clock;
        this.ownerDead = ownerDead;
    }

    /** Leases that a dead owner left open. Changes nothing. */
    public List<LeaseRow> leftBehind() {
        return ledger.openLeases().stream()
                .filter(l -> ownerDead.test(l.owner()))
                .toList();
    }

    /** Marks evaluations of dead owners interrupted. @return those that were marked */
    public List<EvaluationRow> interrupt() {
        List<EvaluationRow> dead = ledger.evaluations(EVALUATIONS).stream()
                .filter(e -> !e.status().ended() && ownerDead.test(e.owner()))
                .toList();
        dead.forEach(e -> ledger.evaluationStatus(
                e.id(), EvaluationStatus.INTERRUPTED, "the process that ran it is gone", clock.instant()));
        return dead;
    }

    /** One step towards gone for a lease. @return empty when it is proven gone, else why not yet */
    public Optional<String> release(LeaseRow lease) {
        ReleaseStep step = releaser.step(LeaseActivitiesImpl.handle(lease), "its owner is dead");
        return step instanceof ReleaseStep.NotYetGone later ? Optional.of(later.why()) : Optional.empty();
    }

    /**
     * One step for each lease left behind.
     *
     * @param told one plain line per step
     * @return how many are still not proven gone
     */
    public int step(Consumer<String> told) {
        int open = 0;
        for (LeaseRow lease : leftBehind()) {
            Optional<String> why = release(lease);
            open += why.isPresent() ? 1 : 0;
            told.accept(lease.provider() + " " + lease.id() + ": " + why.orElse("proven gone"));
        }
        return open;
    }
}
