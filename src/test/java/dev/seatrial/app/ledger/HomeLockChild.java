package dev.seatrial.app.ledger;

import java.nio.file.Path;
import java.time.InstantSource;

/** The other process of lock tests: {@code HOME}. Takes the directory, says so and stays until its input ends. */
final class HomeLockChild {
    private HomeLockChild() {}

    public static void main(String[] args) throws Exception {
        HomeLock.Outcome outcome = HomeLock.acquire(Path.of(args[0]), InstantSource.system());
        if (outcome instanceof HomeLock.Acquired acquired) {
            acquired.publish(4242);
            System.out.println("acquired " + acquired.ownerId());
            System.in.read();
            acquired.close();
        } else if (outcome instanceof HomeLock.HeldBy held) {
            System.out.println("held " + held.pid());
        }
    }
}
