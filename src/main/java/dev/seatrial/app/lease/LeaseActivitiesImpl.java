package dev.seatrial.app.lease;

import dev.seatrial.app.remote.LeaseKeys;
import dev.seatrial.app.remote.MachineProbe;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.workflow.CreateResult;
import dev.seatrial.workflow.LeaseActivities;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseOpening;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.ReadyResult;
import java.time.InstantSource;
import java.util.function.Function;

/** Vendor calls of one lease, each written to the ledger before and after. */
public final class LeaseActivitiesImpl implements LeaseActivities {
    private final Opening opening;
    private final Creation creation;
    private final Readiness readiness;
    private final Releaser releaser;

    /**
     * @param plans the plan of an evaluation, by its id
     * @param owner this process, as ledger rows name it
     */
    public LeaseActivitiesImpl(
            Ledger ledger,
            Accounts accounts,
            LeaseKeys keys,
            MachineProbe probe,
            Releaser releaser,
            Function<String, Plan> plans,
            String owner,
            InstantSource clock) {
        Lookup lookup = new Lookup(ledger, accounts);
        this.opening = new Opening(ledger, lookup, plans, owner, clock);
        this.creation = new Creation(ledger, lookup, new Whereabouts(ledger, accounts, clock), keys, clock);
        this.readiness = new Readiness(ledger, lookup, probe, clock);
        this.releaser = releaser;
    }

    @Override
    public LeaseOpening open(LeaseRequest request) {
        return opening.open(request);
    }

    @Override
    public CreateResult create(LeaseHandle lease, LeaseRequest request) {
        return creation.create(lease, request);
    }

    @Override
    public CreateResult resolve(LeaseHandle lease) {
        return creation.resolve(lease);
    }

    @Override
    public ReadyResult awaitReady(LeaseHandle lease) {
        return readiness.await(lease);
    }

    @Override
    public long releaseUntilGone(LeaseHandle lease, String reason) {
        ReleaseStep step = releaser.step(lease, reason);
        if (step instanceof ReleaseStep.Gone gone) {
            return gone.at().toEpochMilli();
        }
        ReleaseStep.NotYetGone later = (ReleaseStep.NotYetGone) step;
        throw NotYet.after(later.after(), later.why());
    }

    /** The handle of a row, for whoever wants to release it. */
    public static LeaseHandle handle(LeaseRow row) {
        return new LeaseHandle(
                row.id(),
                row.provider().value(),
                row.name().text(),
                row.instance().map(InstanceId::value),
                row.endpoint());
    }
}
