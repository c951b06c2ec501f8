package dev.seatrial.app.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.seatrial.domain.ledger.LedgerException;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** Pools of connections to one SQLite file. */
final class SqliteDatabase implements Shares.Database {
    private static final int LEASE_CONNECTIONS = 4;
    private static final int WORK_CONNECTIONS = 2;
    private static final int READ_CONNECTIONS = 4;

    private final Path file;
    private final boolean readOnly;
    private final Duration busy;
    private final HikariDataSource reads;
    private final HikariDataSource work;
    private final HikariDataSource leases;

    SqliteDatabase(Path file, boolean readOnly, Duration busy) {
        this.file = file;
        this.readOnly = readOnly;
        this.busy = busy;
        this.reads = pool("ledger-reads", source(file, true, busy), READ_CONNECTIONS, true);
        this.work = readOnly ? reads : pool("ledger-work", source(file, false, busy), WORK_CONNECTIONS, false);
        this.leases = readOnly ? reads : pool("ledger-leases", source(file, false, busy), LEASE_CONNECTIONS, false);
    }

    /**
     * Connections with all the settings that make a commit survive a kill and a power cut.
     *
     * @param busy how long a write waits for another process before it gives up
     */
    static SQLiteDataSource source(Path file, boolean readOnly, Duration busy) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout((int) busy.toMillis());
        config.enforceForeignKeys(true);
        config.setReadOnly(readOnly);
        if (!readOnly) {
            config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
            // A deferred transaction that reads first and then writes can fail half way when another process wrote
            // in between; an immediate one waits at its beginning or not at all.
            config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        }
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    @Override
    public DataSource leases() {
        return leases;
    }

    @Override
    public DataSource work() {
        return work;
    }

    @Override
    public DataSource reads() {
        return reads;
    }

    @Override
    public boolean readOnly() {
        return readOnly;
    }

    @Override
    public LedgerException explain(Exception failure) {
        return SqliteErrors.explain(file, failure);
    }

    @Override
    public void close() {
        // Readers first: the last connection to close tidies the write-ahead file, and only a writer can.
        reads.close();
        work.close();
        leases.close();
    }

    private HikariDataSource pool(String name, DataSource source, int size, boolean readOnly) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setIdleTimeout(Duration.ofMinutes(10).toMillis());
        config.setMaxLifetime(0);
        config.setReadOnly(readOnly);
        config.setConnectionTimeout(busy.plusSeconds(5).toMillis());
        // The file was opened and checked just before.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }
}
