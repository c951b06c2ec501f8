package dev.seatrial.app.cli;

import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Ctrl-C and SIGTERM. A signal handler, not a shutdown hook: releasing needs the whole process. First: cancel, releases go
 * on. Second: what still bills and how to sweep it; still goes on. Third: leave with exit code 5.
 */
final class Interrupts {
    private final Ui ui;
    private final Ledger ledger;
    private final String evaluation;
    private final Runnable cancel;
    private final Consumer<Integer> exit;
    private final AtomicInteger times = new AtomicInteger();

    Interrupts(Ui ui, Ledger ledger, String evaluation, Runnable cancel, Consumer<Integer> exit) {
        this.ui = ui;
        this.ledger = ledger;
        this.evaluation = evaluation;
        this.cancel = cancel;
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

    int times() {
        return times.get();
    }

    private void hit() {
        switch (times.incrementAndGet()) {
            case 1 -> {
                ui.err(ui.say("interrupt.first"));
                cancel.run();
            }
            case 2 -> {
                ui.err(ui.say("interrupt.second"));
                bills().forEach(ui::err);
                ui.err("  ./seatrial sweep");
            }
            default -> {
                bills().forEach(ui::err);
                exit.accept(bills().isEmpty() ? ExitCode.CANCELLED : ExitCode.NOT_RELEASED);
            }
        }
    }

    private List<String> bills() {
        return ledger.leases(evaluation).stream()
                .filter(l -> l.state().maybeBilling() && !l.borrowed())
                .map(this::bill)
                .toList();
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
