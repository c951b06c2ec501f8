package dev.seatrial.app.lease;

import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;

/** A ledger of which some calls fail as those of a locked or full disk do. */
public final class BrokenLedger {
    private BrokenLedger() {}

    /** @param broken whether a call of this method fails now */
    public static Ledger around(Ledger real, Predicate<String> broken) {
        return (Ledger) Proxy.newProxyInstance(
                Ledger.class.getClassLoader(), new Class<?>[] {Ledger.class}, (p, method, given) -> {
                    if (broken.test(method.getName())) {
                        throw new LedgerException(LedgerException.Kind.FULL, "the disk is full");
                    }
                    try {
                        return method.invoke(real, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
