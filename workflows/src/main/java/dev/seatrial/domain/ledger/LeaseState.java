package dev.seatrial.domain.ledger;

import java.util.EnumSet;
import java.util.Set;

/** State of a lease in the ledger. */
public enum LeaseState {
    /** Money is reserved, nothing was sent. */
    INTENDED,
    /** The create call is about to be sent or under way. */
    CREATING,
    /** Create outcome unknown; counts as spending. */
    SUSPECT,
    /** The vendor made it; it is not usable yet. */
    PROVISIONING,
    READY,
    RELEASING,
    /** Past its latest end and still not proven gone; alarmed, release goes on. */
    OVERDUE,
    /** Absence proven. */
    RELEASED,
    /** The vendor definitely refused, nothing was sent, or it was proven absent without ever having been seen. */
    NOT_CREATED,
    /** A borrowed machine, cleaned and given back. */
    HANDED_BACK;

    /** Whether the lease needs nothing more. */
    public boolean terminal() {
        return this == RELEASED || this == NOT_CREATED || this == HANDED_BACK;
    }

    /** Whether an instance may exist and bill. */
    public boolean maybeBilling() {
        return !terminal() && this != INTENDED;
    }

    /** States this one may become. */
    public Set<LeaseState> next() {
        return switch (this) {
            case INTENDED -> EnumSet.of(CREATING, NOT_CREATED);
            case CREATING -> EnumSet.of(PROVISIONING, SUSPECT, NOT_CREATED, RELEASING, OVERDUE);
            case SUSPECT -> EnumSet.of(PROVISIONING, NOT_CREATED, RELEASING, OVERDUE);
            case PROVISIONING -> EnumSet.of(READY, RELEASING, OVERDUE);
            case READY -> EnumSet.of(RELEASING, OVERDUE);
            case RELEASING -> EnumSet.of(RELEASED, OVERDUE, HANDED_BACK, NOT_CREATED);
            case OVERDUE -> EnumSet.of(RELEASED, HANDED_BACK, NOT_CREATED);
            case RELEASED, NOT_CREATED, HANDED_BACK -> EnumSet.noneOf(LeaseState.class);
        };
    }
}
