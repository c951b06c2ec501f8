package dev.seatrial.app.cli;

import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Ctrl-C and SIGTERM. A signal handler, not a shutdown hook: releasing needs the whole process. First: cancel, releases go
 * on. Second: what still bills and how to sweep it; still goes on. Third: leave, with exit code 5 when something may bill.
 */
final class Interrupts {
    private final Ui ui;
    private final Ledger ledger;
    private final String sweep;
    private final IntConsumer exit;
    private Optional<Runnable> cancel = Optional.empty();
    private int times;

    /**
     * @param sweep the command that releases what is left
     * @param exit ends the process at once
     */
    Interrupts(Ui ui, Ledger ledger, String sweep, IntConsumer exit) {
        this.ui = ui;
        this.ledger = ledger;
        this.sweep = sweep;
        this.exit = exit;
    }

    /** Takes INT and TERM over. By reflection: the class is supported (jdk.unsupported) but cannot be named without a warning. */
    void install() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object ours = Proxy.newProxyInstance(
                    Interrupts.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, args) -> {
                        if (method.getDeclaringClass() == Object.class) {
                            return method.getName().equals("hashCode")
                                    ? (Object) System.identityHashCode(proxy)
                                    : proxy == args[0];
                        }
                        hit();
                        return null;
                    });
            for (String name : List.of("INT", "TERM")) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
            }
        } catch (ClassNotFoundException
                | NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException("this Java cannot handle signals", e);
        }
    }

    /** Whether to stop was asked for. */
    synchronized boolean asked() {
        return times > 0;
    }

    /** From now on there is something to cancel; at once when that was asked for already. */
    void running(Runnable cancellation) {
        synchronized (this) {
            cancel = Optional.of(cancellation);
            if (times == 0) {
                return;
            }
        }
        cancellation.run();
    }

    /** One signal. Each comes on a thread of its own. */
    void hit() {
        int now;
        Optional<Runnable> work;
        synchronized (this) {
            now = ++times;
            work = cancel;
        }
        switch (now) {
            case 1 -> {
                ui.err(ui.say("interrupt.first"));
                work.ifPresent(Runnable::run);
            }
            case 2 -> {
                ui.err(ui.say("interrupt.second"));
                tellBills();
                ui.err("  " + sweep);
            }
            default -> {
                int code = tellBills() ? ExitCode.NOT_RELEASED : ExitCode.CANCELLED;
                ui.problem(code, ui.say("interrupt.third"), Optional.of(sweep));
                exit.accept(code);
            }
        }
    }

    /** @return whether something may bill, also when the ledger cannot tell */
    private boolean tellBills() {
        try {
            List<LeaseRow> bills = ledger.openLeases().stream()
                    .filter(l -> l.state().maybeBilling() && !l.borrowed())
                    .toList();
            bills.forEach(l -> ui.err(bill(l)));
            return !bills.isEmpty();
        } catch (LedgerException e) {
            ui.err(ui.say("ledger.trouble", e.getMessage()));
            return true;
        }
    }

    private String bill(LeaseRow l) {
        return ui.say(
                "interrupt.bills",
                l.provider(),
                l.instance().map(Object::toString).orElse(l.name().text()),
                l.state(),
                Progress.money(l.pricing().totalHourly()));
    }
}
