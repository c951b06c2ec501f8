package dev.seatrial.app;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.app.control.ControlServer;
import dev.seatrial.app.control.ControlTarget;
import dev.seatrial.app.engine.Engine;
import dev.seatrial.app.engine.EvaluationActivitiesImpl;
import dev.seatrial.app.engine.SideBySide;
import dev.seatrial.app.engine.TrialActivitiesImpl;
import dev.seatrial.app.engine.TrialJudge;
import dev.seatrial.app.lease.LeaseActivitiesImpl;
import dev.seatrial.app.ledger.HomeLock;
import dev.seatrial.app.service.DefaultEvaluationService;
import dev.seatrial.app.service.EvaluationService;
import dev.seatrial.app.service.Recovery;
import dev.seatrial.app.service.Starter;
import dev.seatrial.app.sweep.SweepLine;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LedgerException;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one process that owns SEATRIAL_HOME: engine, evaluation service, recovery of a dead predecessor, sweep on a timer,
 * heartbeat, control endpoint.
 */
public final class Owner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Owner.class);
    private static final String EMBEDDED = "embedded:";
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final Duration SWEEP = Duration.ofSeconds(60);
    private static final Duration RECOVERY = Duration.ofSeconds(2);

    private final App app;
    private final HomeLock.Acquired lock;
    private final String owner;
    private final EvaluationService service;
    private final Starter starter;
    private final ControlServer control;
    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(2, r -> {
        Thread t = new Thread(r, "owner-timer");
        t.setDaemon(true);
        return t;
    });
    private final Thread recovery;

    private Owner(App app, HomeLock.Acquired lock, Role role, Consumer<Told> told) {
        this.app = app;
        this.lock = lock;
        this.owner = EMBEDDED + lock.ownerId();
        app.ledger().heartbeat(owner, app.clock().instant());
        takeLimits(app, told);
        this.service = wire(app, owner);
        this.starter = new Starter(app.providers(), service, app.clock());
        this.control = ControlServer.start(app.settings().home(), role.port(), role.takesPlans(), new Target());
        timers.scheduleAtFixedRate(this::beat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
        timers.scheduleWithFixedDelay(this::sweep, SWEEP.toMillis(), SWEEP.toMillis(), TimeUnit.MILLISECONDS);
        this.recovery = new Thread(() -> recover(told), "recovery");
        recovery.setDaemon(true);
        recovery.start();
    }

    /**
     * What this process owns the directory for.
     *
     * @param port where it listens on loopback; 0 for any
     * @param takesPlans whether other commands hand it their plans
     */
    public record Role(int port, boolean takesPlans) {
        /** One command's own work; ends with it. */
        public static final Role COMMAND = new Role(0, false);

        /** A service that lives on. */
        public static Role service(int port) {
            return new Role(port, true);
        }
    }

    /** What recovery has to tell. */
    public sealed interface Told {
        /** So many leases were left behind. */
        record Left(int leases) implements Told {}

        record Interrupted(String evaluation) implements Told {}

        /** What may be spent over all evaluations has changed. @param any whether there still are limits */
        record LimitsChanged(boolean any) implements Told {}

        record Line(String text) implements Told {}
    }

    /** Starts everything; the lock must be held. */
    public static Owner start(App app, HomeLock.Acquired lock, Role role, Consumer<Told> told) {
        return new Owner(app, lock, role, told);
    }

    /** Whether an owner string names an embedded owner that is proven dead, seen from a process that does not hold the lock. */
    public static boolean dead(App app, String owner) {
        return dead(app.parts(), owner);
    }

    static boolean dead(Parts parts, String owner) {
        return owner.startsWith(EMBEDDED)
                && !HomeLock.ownerAlive(parts.settings().home(), owner.substring(EMBEDDED.length()));
    }

    public EvaluationService service() {
        return service;
    }

    /** The way from a plan to an evaluation of this process. */
    public Starter starter() {
        return starter;
    }

    /** Completes with the endpoint's address once it answers; exceptionally, in plain words, when it cannot listen. */
    public CompletableFuture<URI> address() {
        return control.address();
    }

    /** The configuration of whoever owns the directory is what counts; that it changes something is never silent. */
    private static void takeLimits(App app, Consumer<Told> told) {
        boolean any = app.settings().limits().isPresent();
        if (app.ledger().spendLimits(app.settings().limits())) {
            app.ledger()
                    .audit(
                            "owner",
                            any ? "limits" : "no-limits",
                            app.settings().file().toString(),
                            app.clock().instant());
            told.accept(new Told.LimitsChanged(any));
        }
    }

    private static EvaluationService wire(App app, String owner) {
        Parts parts = app.parts();
        TrialJudge trialJudge = parts.trialJudge();
        Engine.Activities activities = new Engine.Activities(
                new LeaseActivitiesImpl(
                        app.ledger(),
                        app.accounts(),
                        parts.keys(),
                        parts.probe(),
                        app.releaser(),
                        app::plan,
                        owner,
                        app.clock()),
                parts.stages(app.ledger(), app::plan),
                new TrialActivitiesImpl(app.ledger(), parts.providers(), app::plan, trialJudge, app.clock()),
                // The command that waits for the end writes the report, in its user's language.
                new EvaluationActivitiesImpl(
                        app.ledger(),
                        new SideBySide(app.ledger(), app::plan, parts.peers(), trialJudge),
                        app.clock(),
                        evaluation -> {}));
        return new DefaultEvaluationService(
                app.ledger(), parts.providers(), () -> Engine.embedded(activities), parts.judge(), owner, app.clock());
    }

    /**
     * Waits until what a dead predecessor left is proven gone.
     *
     * @param most longest wait
     * @return whether that is so; also when this thread was interrupted, which means that nobody waits any more
     */
    public boolean awaitRecovery(Duration most) {
        try {
            recovery.join(Math.max(1, most.toMillis()));
            return !recovery.isAlive();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** For a process that is about to end at once: nobody shall be sent to its endpoint. */
    public void abandon() {
        control.withdraw();
    }

    private void recover(Consumer<Told> told) {
        // We hold the lock, so any other embedded owner of this directory is dead.
        Recovery work = new Recovery(
                app.ledger(), app.releaser(), app.clock(), o -> o.startsWith(EMBEDDED) && !o.equals(owner));
        try {
            for (EvaluationRow e : work.interrupt()) {
                told.accept(new Told.Interrupted(e.id()));
            }
            int left = work.leftBehind().size();
            if (left > 0) {
                told.accept(new Told.Left(left));
            }
            while (!work.leftBehind().isEmpty() && work.step(line -> told.accept(new Told.Line(line))) > 0) {
                TimeUnit.MILLISECONDS.sleep(RECOVERY.toMillis());
            }
        } catch (LedgerException e) {
            told.accept(new Told.Line(String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the second terminal can ask. */
    private final class Target implements ControlTarget {
        @Override
        public Submitted submit(Submission submission) {
            return new PlanDesk(app, starter).submit(submission);
        }

        @Override
        public Optional<String> resume(String evaluation) {
            try {
                service.resume(evaluation, "control");
                return Optional.empty();
            } catch (IllegalArgumentException e) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
        }

        @Override
        public boolean cancel(String evaluation) {
            return service.cancel(evaluation, "control");
        }

        @Override
        public Optional<String> raiseCap(String evaluation, Optional<String> candidate, BigDecimal cap) {
            return service.raiseCap(evaluation, candidate, cap, "control");
        }

        @Override
        public Optional<String> skip(String evaluation, String candidate, Optional<String> stage) {
            return service.skip(evaluation, candidate, stage, "control");
        }

        @Override
        public Optional<String> cancelTrial(String evaluation, String candidate) {
            return service.cancelTrial(evaluation, candidate, "control");
        }

        @Override
        public void stopAll() {
            service.cancelAll("stop");
        }

        @Override
        public Optional<String> approve(String evaluation, String candidate, boolean yes) {
            return service.approve(evaluation, candidate, yes, "control");
        }

        @Override
        public boolean release(String lease) {
            return service.releaseLease(lease, "control");
        }

        @Override
        public Optional<JsonNode> evaluation(String id) {
            return app.ledger().evaluation(id).map(e -> app.reports().json(id));
        }
    }

    private void beat() {
        try {
            app.ledger().heartbeat(owner, app.clock().instant());
        } catch (LedgerException e) {
            LOG.warn("no heartbeat: {}", e.getMessage());
        }
    }

    private void sweep() {
        try {
            // Whoever stops spending tells us; should that not have reached us, the marker still does.
            if (app.ledger().spendingStopped().isPresent() && service.busy()) {
                service.cancelAll("stop");
            }
            List<SweepLine> lines = app.sweep().round(Set.of(), false);
            lines.stream().filter(l -> l.action() != SweepLine.Action.KEEP).forEach(l -> LOG.warn("sweep: {}", l));
        } catch (RuntimeException e) {
            // A timer that throws is never called again; the sweep must go on whatever one round met.
            LOG.error("a sweep failed", e);
        }
    }

    @Override
    public void close() {
        timers.shutdownNow();
        recovery.interrupt();
        control.close();
        service.close();
        lock.close();
    }
}
