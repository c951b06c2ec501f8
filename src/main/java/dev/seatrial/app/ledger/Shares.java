package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;

/**
 * The ledger's connections in three shares, so that neither busy stages nor a large report can delay a lease (law 6).
 */
final class Shares implements AutoCloseable {
    /** Connections and what to do when they fail. */
    interface Database extends AutoCloseable {
        /** For leases alone. */
        DataSource leases();

        /** For all other writes. */
        DataSource work();

        /** For reads of anything but leases. */
        DataSource reads();

        boolean readOnly();

        LedgerException explain(Exception failure);

        @Override
        void close();
    }

    private final Database database;
    private final WriteGate gate;
    private final Jdbi leases;
    private final Jdbi work;
    private final Jdbi reads;

    Shares(Database database, WriteGate gate) {
        this.database = database;
        this.gate = gate;
        this.leases = Jdbi.create(database.leases());
        this.work = Jdbi.create(database.work());
        this.reads = Jdbi.create(database.reads());
    }

    /** One transaction that goes before all other writes of this process. */
    <T> T leaseWrite(Function<Handle, T> action) {
        return write(leases, true, action);
    }

    <T> T leaseRead(Function<Handle, T> action) {
        return guarded(() -> leases.withHandle(action::apply));
    }

    /** One transaction. */
    <T> T write(Function<Handle, T> action) {
        return write(work, false, action);
    }

    /** One snapshot. */
    <T> T read(Function<Handle, T> action) {
        return guarded(() -> reads.inTransaction(action::apply));
    }

    @Override
    public void close() {
        database.close();
    }

    private <T> T write(Jdbi jdbi, boolean urgent, Function<Handle, T> action) {
        if (database.readOnly()) {
            throw new LedgerException(LedgerException.Kind.READ_ONLY, "this ledger was opened for reading only");
        }
        gate.enter(urgent);
        try {
            return guarded(() -> jdbi.inTransaction(action::apply));
        } finally {
            gate.leave();
        }
    }

    private <T> T guarded(java.util.function.Supplier<T> action) {
        try {
            return action.get();
        } catch (JdbiException failure) {
            throw database.explain(failure);
        }
    }
}
