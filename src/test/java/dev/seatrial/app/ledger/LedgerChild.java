package dev.seatrial.app.ledger;

import static dev.seatrial.app.ledger.Samples.NOW;
import static dev.seatrial.app.ledger.Samples.OWNER;
import static dev.seatrial.app.ledger.Samples.intent;
import static dev.seatrial.app.ledger.Samples.key;

import dev.seatrial.domain.ledger.Grant;
import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.InstanceId;
import java.nio.file.Path;
import java.time.InstantSource;

/** The other process of ledger tests: {@code FILE halt LEASE | loop LEASE | reserve CANDIDATE COUNT AMOUNT}. */
final class LedgerChild {
    private LedgerChild() {}

    public static void main(String[] args) {
        SqlLedger ledger = SqlLedger.open(Path.of(args[0]), InstantSource.fixed(NOW));
        switch (args[1]) {
            case "halt" -> {
                LeaseRow row = ledger.lease(args[2]).orElseThrow();
                ledger.move(
                        row.id(),
                        row.fence(),
                        LeaseState.CREATING,
                        LeaseChange.NONE.withSentAt(NOW.plusSeconds(1)),
                        "about to be sent",
                        NOW);
                Runtime.getRuntime().halt(9);
            }
            case "loop" -> {
                LeaseRow row = ledger.lease(args[2]).orElseThrow();
                for (long i = row.fence(); ; i++) {
                    InstanceId id = new InstanceId("i-" + i);
                    row = ledger.move(row.id(), i, row.state(), LeaseChange.NONE.withInstance(id), "step " + i, NOW)
                            .orElseThrow();
                    System.out.println("fence " + row.fence());
                }
            }
            case "reserve" -> {
                System.out.println("ready");
                int granted = 0;
                for (int i = 1; i <= Integer.parseInt(args[3]); i++) {
                    Grant grant = ledger.reserve(intent(key(args[2], Phase.SINGLE, i), args[4]), OWNER);
                    granted += grant instanceof Grant.Granted ? 1 : 0;
                }
                ledger.close();
                System.out.println("granted " + granted);
            }
            default -> throw new IllegalArgumentException(args[1]);
        }
    }
}
