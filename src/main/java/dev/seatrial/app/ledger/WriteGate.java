package dev.seatrial.app.ledger;

import dev.seatrial.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread of this process write at a time, lease moves first. SQLite has one writer and its waiters poll, so that
 * without this a crowd of stage writers could keep a release waiting for as long as they please (law 6).
 */
final class WriteGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition free = lock.newCondition();
    private final long limitNanos;
    private boolean taken;
    private int urgentWaiting;

    WriteGate(Duration limit) {
        this.limitNanos = limit.toNanos();
    }

    /** @param urgent whether it goes before all that are not */
    void enter(boolean urgent) {
        lock.lock();
        try {
            urgentWaiting += urgent ? 1 : 0;
            try {
                await(urgent);
            } finally {
                urgentWaiting -= urgent ? 1 : 0;
            }
            taken = true;
        } finally {
            lock.unlock();
        }
    }

    void leave() {
        lock.lock();
        try {
            taken = false;
            // All, because a single signal could wake a waiter that has to let an urgent one pass.
            free.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void await(boolean urgent) {
        long left = limitNanos;
        while (taken || (!urgent && urgentWaiting > 0)) {
            if (left <= 0) {
                throw new LedgerException(
                        LedgerException.Kind.LOCKED,
                        "the ledger is busy: other writes of this process did not end in time");
            }
            try {
                left = free.awaitNanos(left);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                free.signalAll();
                throw new LedgerException(
                        LedgerException.Kind.LOCKED, "interrupted while waiting to write to the ledger", stop);
            }
        }
    }
}
