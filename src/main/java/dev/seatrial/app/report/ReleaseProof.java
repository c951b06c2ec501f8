package dev.seatrial.app.report;

import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the ledger can show of a lease's end.
 *
 * @param kind how it ended
 * @param asked release calls that the vendor answered
 * @param refused those of them that it refused
 * @param absent when the instance was read as absent, after it was last seen
 * @param closedAt when the lease was closed
 */
record ReleaseProof(Kind kind, int asked, int refused, List<Instant> absent, Optional<Instant> closedAt) {
    /** How a lease ended. */
    enum Kind {
        /** Absence read and the lease closed. */
        PROVEN,
        /** A borrowed machine, cleaned and handed back; nobody has confirmed its return yet. */
        HANDED_BACK,
        /** A borrowed machine whose return somebody has confirmed. */
        RETURNED,
        /** Nothing was ever created. */
        NEVER_CREATED,
        /** Money is reserved, nothing was sent. */
        NOT_SENT,
        /** May still exist and bill. */
        OPEN
    }

    ReleaseProof {
        absent = List.copyOf(absent);
    }

    static ReleaseProof of(LeaseRow lease, List<LeaseEvent> events) {
        long lastPresent = events.stream()
                .filter(e -> e.type().equals(LeaseEvent.PRESENT))
                .mapToLong(LeaseEvent::seq)
                .max()
                .orElse(0);
        List<Instant> absent = events.stream()
                .filter(e -> e.type().equals(LeaseEvent.ABSENT) && e.seq() > lastPresent)
                .map(LeaseEvent::at)
                .toList();
        int accepted = count(events, LeaseEvent.ASKED);
        int refused = count(events, LeaseEvent.REFUSED);
        return new ReleaseProof(
                kind(lease, count(events, LeaseEvent.RETURN_CONFIRMED) > 0),
                accepted + refused,
                refused,
                absent,
                lease.releasedAt());
    }

    private static Kind kind(LeaseRow lease, boolean confirmed) {
        return switch (lease.state()) {
            case RELEASED -> Kind.PROVEN;
            case HANDED_BACK -> confirmed ? Kind.RETURNED : Kind.HANDED_BACK;
            case NOT_CREATED -> Kind.NEVER_CREATED;
            case INTENDED -> Kind.NOT_SENT;
            case CREATING, SUSPECT, PROVISIONING, READY, RELEASING, OVERDUE -> Kind.OPEN;
        };
    }

    private static int count(List<LeaseEvent> events, String type) {
        return (int) events.stream().filter(e -> e.type().equals(type)).count();
    }
}
