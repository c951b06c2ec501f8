package dev.seatrial.app.remote;

import dev.seatrial.workflow.LeaseHandle;
import java.util.List;
import java.util.Optional;

/** Leaves a handed-over machine as it was, and looks whether it is. */
public final class HandedOverCleaner {
    private final Machines machines;
    private final HandedOver records;
    private final Wire wire = new Wire();
    private final Boot boot = new Boot(wire);

    public HandedOverCleaner(Machines machines, HandedOver records) {
        this.machines = machines;
        this.records = records;
    }

    /** One attempt. @return empty when nothing of ours is left, else what is, or why it could not be seen */
    public Optional<String> tryClean(LeaseHandle lease) {
        try {
            Optional<String> left = clean(lease);
            if (left.isEmpty()) {
                machines.close(lease.lease());
                records.remove(lease.provider(), lease.lease());
            }
            return left;
        } catch (MachineException e) {
            return Optional.of(e.words());
        }
    }

    private Optional<String> clean(LeaseHandle lease) throws MachineException {
        Machine machine = machines.of(lease.provider(), lease.lease(), lease.endpoint());
        Optional<String> where = machines.target(lease.provider()).flatMap(Target::dir);
        List<String> left = List.of();
        if (boot.look(machine, lease.lease(), where).isPresent()) {
            try {
                Boot.Place place = boot.boot(machine, lease.lease(), where, lease.name());
                // The payload knows what its runs made outside our folder, e.g. on a data disk.
                left = new Host(machine, place, boot, wire).clean();
            } catch (MachineException e) {
                if (e.kind() != MachineException.Kind.PROTOCOL && e.kind() != MachineException.Kind.UNUSABLE) {
                    throw e;
                }
                // It never arrived; the script alone does.
                left = List.of();
            }
        }
        Optional<String> still = boot.leave(machine, lease.lease(), where);
        List<String> outside = left.stream()
                .filter(l -> l.startsWith("/") && !l.endsWith("/seatrial-" + lease.lease()))
                .toList();
        return still.or(() -> outside.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", outside)));
    }
}
