package dev.seatrial.app;

import dev.seatrial.app.config.Settings;
import dev.seatrial.app.ledger.SpendingMarker;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.SpendingStop;
import java.time.Instant;
import java.util.Optional;

/** Whether anything may be rented from this data directory at all. Needs no ledger. */
public final class Spending {
    private final SpendingMarker marker;

    public Spending(Settings settings) {
        this.marker = new SpendingMarker(settings.home());
    }

    /** Empty when leases may be granted. */
    public Optional<SpendingStop> stopped() {
        return marker.read();
    }

    /**
     * Stops it; a stop that is there already stays as it is.
     *
     * @throws LedgerException when that cannot be written down
     */
    public SpendingStop stop(Instant at, String who) {
        return marker.set(at, who);
    }

    /**
     * Permits it again.
     *
     * @return whether it was stopped
     * @throws LedgerException when the stop cannot be taken away
     */
    public boolean resume() {
        return marker.clear();
    }
}
