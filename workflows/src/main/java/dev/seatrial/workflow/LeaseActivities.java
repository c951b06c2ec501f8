package dev.seatrial.workflow;

import io.temporal.activity.ActivityInterface;

/** Everything that touches a vendor for one lease. Runs on {@link Queues#RELEASE}. */
@ActivityInterface(namePrefix = "Lease")
public interface LeaseActivities {
    /** Asks the ledger for money and issues name, token and deadline. Idempotent by the request's key. */
    LeaseOpening open(LeaseRequest request);

    /**
     * Marks the lease CREATING and sends one create. Never sends a second: when the lease is past INTENDED already, it
     * answers SUSPECT (or what the ledger knows by now). One attempt.
     */
    CreateResult create(LeaseHandle lease, LeaseRequest request);

    /**
     * Looks for the instance by name, through every page and region. Waits by failing retryably. Ends with CREATED
     * (adopted) or NOT_CREATED (proven absent after the settle window).
     */
    CreateResult resolve(LeaseHandle lease);

    /** Waits, by failing retryably, until SSH lets us in or it can never become usable. */
    ReadyResult awaitReady(LeaseHandle lease);

    /**
     * Releases and waits, by failing retryably, until the absence is proven and written. Goes by name and id; needs the
     * ledger only for closing the row. Never gives up.
     *
     * @return when it was proven gone, epoch milliseconds
     */
    long releaseUntilGone(LeaseHandle lease, String reason);
}
