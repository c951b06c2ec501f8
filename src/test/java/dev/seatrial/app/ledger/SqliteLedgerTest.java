package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.Ledger;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.io.TempDir;

class SqliteLedgerTest extends LedgerContract {
    @TempDir
    Path home;

    @Override
    protected Ledger openStore() {
        return SqlLedger.open(home.resolve("ledger.db"), InstantSource.fixed(Samples.NOW));
    }
}
