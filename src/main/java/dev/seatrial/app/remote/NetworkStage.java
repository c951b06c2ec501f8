package dev.seatrial.app.remote;

import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The network stage's own half: both directions between this service and the machine, within a byte budget. */
final class NetworkStage {
    private static final long QUICK_BYTES = 32L << 20;
    private static final long BYTES = 256L << 20;
    private static final Duration QUICK_TIME = Duration.ofSeconds(4);
    private static final Duration TIME = Duration.ofSeconds(10);

    private final Ledger ledger;
    private final OwnEvents own;
    private final InstantSource clock;

    NetworkStage(Ledger ledger, OwnEvents own, InstantSource clock) {
        this.ledger = ledger;
        this.own = own;
        this.clock = clock;
    }

    /** This service runs on the machine itself: between the two there is no network to measure. Says so. */
    void here(StageRunRow row) {
        StoredEvent said = own.finding(
                OwnEvents.Slot.TRANSFER_FINDING,
                clock.instant(),
                "NETWORK_HERE",
                "info",
                "ours",
                "The service runs on this machine, so there is no way between the two to measure.",
                "",
                "Name addresses in network.urls to measure the way to them.");
        ledger.appendEvents(row.id(), row.offset(), row.offset(), List.of(said), row.progress(), row.progressText());
    }

    /**
     * Measures and stores, unless that has been done. The payload's half has ended: the two would disturb each other.
     *
     * @param quick a smaller budget (32 MiB and 4 s instead of 256 MiB and 10 s for each direction)
     * @param left time left of the stage
     * @throws MachineException when the connection broke; a machine that cannot store the bytes is a finding
     */
    void measure(Host host, StageRunRow row, boolean quick, Duration left) throws MachineException {
        boolean done = ledger.stageEvents(row.id()).stream().anyMatch(e -> e.seq() >= Wire.OWN_SEQ);
        if (done) {
            return;
        }
        long budget = quick ? QUICK_BYTES : BYTES;
        Duration most = quick ? QUICK_TIME : TIME;
        Duration share = left.dividedBy(4);
        Duration each = share.compareTo(most) < 0 ? share : most;
        String file = host.path("net.bin");
        List<StoredEvent> events = new ArrayList<>();
        try {
            Transfer.Rate up = Transfer.up(host.machine(), file, budget, each);
            events.add(own.rate(OwnEvents.Slot.UPLOAD_RATE, clock.instant(), "network_upload", up, "sftp"));
            Transfer.Rate down = Transfer.down(host.machine(), file, up.bytes(), each);
            events.add(own.rate(OwnEvents.Slot.DOWNLOAD_RATE, clock.instant(), "network_download", down, "sftp"));
        } catch (MachineException e) {
            if (e.kind().passing()) {
                throw e;
            }
            events.add(own.finding(
                    OwnEvents.Slot.TRANSFER_FINDING,
                    clock.instant(),
                    "NETWORK_NOT_MEASURED",
                    "warn",
                    "unknown",
                    "The transfer between this service and the machine could not be measured.",
                    e.words(),
                    "Check that the machine has space for " + (budget >> 20) + " MiB."));
        }
        ledger.appendEvents(row.id(), row.offset(), row.offset(), events, row.progress(), row.progressText());
    }
}
