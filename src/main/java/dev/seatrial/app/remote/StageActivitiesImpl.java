package dev.seatrial.app.remote;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.bench.Judge;
import dev.seatrial.app.bench.LedgerHistory;
import dev.seatrial.app.bench.StageEvidence;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.StageActivities;
import dev.seatrial.workflow.StageRun;
import dev.seatrial.workflow.StageTarget;
import io.temporal.failure.ApplicationFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the payload. All that must survive is in the ledger and on the machine; what is kept here only saves round trips.
 */
public final class StageActivitiesImpl implements StageActivities, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StageActivitiesImpl.class);
    private static final Duration LEAST_WAIT = Duration.ofMillis(100);
    private static final Duration MOST_WAIT = Duration.ofSeconds(2);
    private static final Duration RETRY = Duration.ofSeconds(2);
    /** Beyond this a machine floods us: its events are read on, but no longer kept. */
    private static final long EVENTS_CAP = 64L << 20;

    private final Ledger ledger;
    private final Machines machines;
    private final Judge judge;
    private final Function<String, Plan> plans;
    private final InstantSource clock;
    private final Artifacts artifacts;
    private final Wire wire = new Wire();
    private final Boot boot = new Boot(wire);
    private final OwnEvents own = new OwnEvents(wire.json());
    private final StageSpec specs = new StageSpec(wire.json());
    private final Payload payload = Payload.bundled();
    private final Uploads uploads = new Uploads();
    private final NetworkStage network;
    private final HandedOverCleaner handedOver;
    private final Map<String, Host> hosts = new ConcurrentHashMap<>();
    private final Set<String> launched = ConcurrentHashMap.newKeySet();

    /**
     * @param plans plan of an evaluation
     * @param handedOver cleans handed-over machines
     * @param temporary folder for archives on their way into the ledger; made when needed
     */
    public StageActivitiesImpl(
            Ledger ledger,
            Machines machines,
            Judge judge,
            Function<String, Plan> plans,
            HandedOverCleaner handedOver,
            InstantSource clock,
            Path temporary) {
        this.ledger = ledger;
        this.machines = machines;
        this.judge = judge;
        this.plans = plans;
        this.clock = clock;
        this.handedOver = handedOver;
        this.artifacts = new Artifacts(ledger, temporary);
        this.network = new NetworkStage(ledger, own, clock);
    }

    @Override
    public void prepare(StageTarget target) {
        try {
            hosts.remove(target.lease().lease());
            host(target.lease()).install(payload);
            noteHostKey(target.lease());
        } catch (MachineException e) {
            throw failure(e);
        }
    }

    @Override
    public void start(StageRun run) {
        StageTarget t = run.target();
        ledger.startStage(new StageRunRow(
                run.id(),
                t.evaluation(),
                t.candidate(),
                t.phase(),
                t.gpus(),
                run.stage(),
                t.lease().lease(),
                run.attempt(),
                "started",
                0,
                0,
                "",
                clock.instant(),
                Optional.empty(),
                ""));
        try {
            if (Uploads.needed(plan(run), run.stage()).isEmpty()) {
                launch(run);
            }
        } catch (MachineException e) {
            throw failure(e);
        }
    }

    @Override
    public void await(StageRun run) {
        StageRunRow row = row(run);
        if (!row.state().equals("started")) {
            return;
        }
        // The workflow lets a wait be that it no longer wants; it must end by itself once the machine is on its way
        // out.
        ledger.lease(row.lease())
                .map(LeaseRow::state)
                .filter(s -> s.terminal() || s == LeaseState.RELEASING || s == LeaseState.OVERDUE)
                .ifPresent(s -> {
                    throw NotYet.never("its lease is " + s);
                });
        try {
            Map<String, Path> files = Uploads.needed(plan(run), run.stage());
            if (!files.isEmpty() && !launched.contains(run.id()) && !bring(run, row, files)) {
                return;
            }
            poll(run, row);
        } catch (MachineException e) {
            throw failure(e);
        }
    }

    /** Looks once; returns only when the stage has ended. */
    private void poll(StageRun run, StageRunRow row) throws MachineException {
        Host host = host(run.target().lease());
        String state = read(host, run, row);
        if (state.equals("running")) {
            StageRunRow now = row(run);
            throw NotYet.after(pause(row), Math.round(now.progress() * 100) + " % " + now.progressText());
        }
        if (run.stage() == StageName.NETWORK) {
            if (host.machine().remote()) {
                network.measure(host, row(run), plan(run).preset().equals("quick"), left(run, row));
            } else if (plan(run).networkUrls().isEmpty()) {
                network.here(row(run));
            }
        }
        ledger.stageEnded(run.id(), endWord(run.id()).orElse("lost"), clock.instant());
    }

    /** Reads until nothing new is there at the moment. @return {@code running}, {@code ended}, {@code lost} */
    private String read(Host host, StageRun run, StageRunRow row) throws MachineException {
        long offset = row.offset();
        double progress = row.progress();
        String text = row.progressText();
        while (true) {
            Host.Polled polled = host.poll(run.id(), offset);
            List<StoredEvent> events = new ArrayList<>();
            for (ObjectNode line : polled.events()) {
                String type = line.path("type").asText();
                if (type.equals("progress")) {
                    progress = Math.max(0, Math.min(1, line.path("done").asDouble(progress)));
                    text = Text.line(line.path("text").asText(), 200);
                }
                if (offset < EVENTS_CAP || type.equals("end")) {
                    wire.event(line).ifPresent(events::add);
                }
            }
            boolean more = polled.offset() > offset;
            if (more) {
                offset = ledger.appendEvents(run.id(), offset, polled.offset(), events, progress, text);
            }
            if (!more || !polled.state().equals("running")) {
                return polled.state();
            }
        }
    }

    /** Brings the files a stage needs, then starts it. @return false when that failed for good and the stage is over */
    private boolean bring(StageRun run, StageRunRow row, Map<String, Path> files) throws MachineException {
        Host host = host(run.target().lease());
        Duration left = left(run, row);
        Uploads.State state = uploads.state(run.id(), host, files, left);
        if (state instanceof Uploads.State.Running r) {
            String text = "uploading " + (r.bytes() >> 20) + " of " + (r.total() >> 20) + " MiB";
            ledger.appendEvents(run.id(), row.offset(), row.offset(), List.of(), 0, text);
            throw NotYet.after(pause(row), text);
        }
        if (state instanceof Uploads.State.Failed f) {
            if (f.why().kind().passing()) {
                throw f.why();
            }
            Instant now = clock.instant();
            String owner = f.why().kind() == MachineException.Kind.LOCAL ? "ours" : "unknown";
            add(
                    row,
                    own.finding(
                            OwnEvents.Slot.FILES_FINDING,
                            now,
                            "TASK_FILES_FAILED",
                            "fail",
                            owner,
                            "The task's files could not be brought to the machine.",
                            f.why().words(),
                            "Check the files, and the space on the machine."),
                    own.end(now, "failed", f.why().words()));
            ledger.stageEnded(run.id(), "failed", now);
            return false;
        }
        if (state instanceof Uploads.State.Done done && done.rate().isPresent()) {
            add(
                    row,
                    own.rate(
                            OwnEvents.Slot.FILES_RATE,
                            clock.instant(),
                            "task_upload",
                            done.rate().get(),
                            "ssh"));
        }
        launch(run);
        return true;
    }

    private void launch(StageRun run) throws MachineException {
        Host host = host(run.target().lease());
        String spec = specs.of(plan(run), run, left(run, row(run)), host::path);
        host.run(run.stage().word(), run.id(), spec);
        launched.add(run.id());
    }

    @Override
    public StageSummary finish(StageRun run, String howItEnded) {
        StageRunRow row = row(run);
        if (!row.state().equals("judged") && !howItEnded.equals("lost")) {
            fetch(run, row);
        }
        ledger.stageEnded(run.id(), ended(run, howItEnded), clock.instant());
        uploads.forget(run.id());
        launched.remove(run.id());
        Plan plan = plan(run);
        StageTarget t = run.target();
        StageResult result = judge.judge(new LedgerHistory(ledger, plans)
                .with(new StageEvidence(plan, plan.candidate(t.candidate()), row(run), ledger.stageEvents(run.id()))));
        ledger.stageResult(t.evaluation(), t.candidate(), result);
        return judge.summary(result);
    }

    /** The last events and the raw outputs. What cannot be had is not worth failing for: the events decide. */
    private void fetch(StageRun run, StageRunRow row) {
        try {
            Host host = host(run.target().lease());
            if (row.state().equals("started")) {
                read(host, run, row);
            }
            int kept = artifacts.collect(host, run.id());
            LOG.debug("{}: {} raw outputs", run.id(), kept);
        } catch (MachineException e) {
            LOG.warn("{}: raw outputs are missing: {}", run.id(), e.words());
        }
    }

    private String ended(StageRun run, String how) {
        return switch (how) {
            case "timed-out" ->
                endWord(run.id()).filter(w -> !w.equals("stopped")).orElse("timed-out");
            case "skipped" -> "skipped";
            case "cancelled" -> "stopped";
            default -> endWord(run.id()).orElse("lost");
        };
    }

    /** What the machine itself said about the end; one of the known words, or nothing. */
    private Optional<String> endWord(String run) {
        return ledger.stageEvents(run).stream()
                .map(StoredEvent::json)
                .filter(j -> j.contains("\"type\":\"end\""))
                .reduce((a, b) -> b)
                .flatMap(j -> wire.last(j, "end"))
                .map(e -> e.path("status").asText())
                .map(word -> Set.of("ok", "failed", "timed-out", "stopped").contains(word) ? word : "failed");
    }

    @Override
    public void stop(StageRun run) {
        uploads.forget(run.id());
        try {
            host(run.target().lease()).stop(run.id());
        } catch (MachineException e) {
            LOG.warn("{}: could not be stopped: {}", run.id(), e.words());
        }
    }

    @Override
    public void clean(StageTarget target) {
        LeaseHandle lease = target.lease();
        Host known = hosts.remove(lease.lease());
        if (machines.target(lease.provider()).isPresent()) {
            handedOver.tryClean(lease).ifPresent(left -> {
                throw NotYet.unreachable(RETRY, left);
            });
            return;
        }
        try {
            Host host = known == null ? boot(lease) : known;
            List<String> left = host.clean();
            if (!left.isEmpty()) {
                LOG.warn("lease {}: left on the machine, which is deleted next: {}", lease.lease(), left);
            }
        } catch (MachineException e) {
            LOG.warn("lease {}: not cleaned, but deleted next: {}", lease.lease(), e.words());
        } finally {
            machines.close(lease.lease());
        }
    }

    @Override
    public void close() {
        uploads.close();
    }

    private Host host(LeaseHandle lease) throws MachineException {
        Host known = hosts.get(lease.lease());
        if (known != null) {
            return known;
        }
        Host fresh = boot(lease);
        hosts.put(lease.lease(), fresh);
        return fresh;
    }

    private Host boot(LeaseHandle lease) throws MachineException {
        Machine machine = machines.of(lease.provider(), lease.lease(), lease.endpoint());
        Optional<String> where = machines.target(lease.provider()).flatMap(Target::dir);
        // A simulated or rented machine's folder needs no note of whose it is: the machine itself has our name.
        String name = machines.target(lease.provider()).isPresent() ? lease.name() : "";
        return new Host(machine, boot.boot(machine, lease.lease(), where, name), boot, wire);
    }

    private void noteHostKey(LeaseHandle lease) throws MachineException {
        Machine machine = machines.of(lease.provider(), lease.lease(), lease.endpoint());
        if (machine instanceof SshMachine ssh
                && ledger.leaseEvents(lease.lease()).stream()
                        .noneMatch(e -> e.type().equals("host-key"))) {
            ssh.hostKey()
                    .ifPresent(k -> ledger.leaseEvent(
                            lease.lease(),
                            "host-key",
                            k.fingerprint() + (k.firstUse() ? " (trusted on first use)" : " (as configured)"),
                            clock.instant()));
        }
    }

    private void add(StageRunRow row, StoredEvent... events) {
        ledger.appendEvents(row.id(), row.offset(), row.offset(), List.of(events), row.progress(), row.progressText());
    }

    private Plan plan(StageRun run) {
        return plans.apply(run.target().evaluation());
    }

    private StageRunRow row(StageRun run) {
        return ledger.stageRun(run.id()).orElseThrow(() -> NotYet.never("stage " + run.id() + " was never started"));
    }

    private Duration left(StageRun run, StageRunRow row) {
        Duration left = run.limit().minus(Duration.between(row.startedAt(), clock.instant()));
        return left.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : left;
    }

    /** A twentieth of the time it has run: a stage of seconds is noticed at once, one of hours costs few polls. */
    private Duration pause(StageRunRow row) {
        Duration share = Duration.between(row.startedAt(), clock.instant()).dividedBy(20);
        if (share.compareTo(LEAST_WAIT) < 0) {
            return LEAST_WAIT;
        }
        return share.compareTo(MOST_WAIT) > 0 ? MOST_WAIT : share;
    }

    private static ApplicationFailure failure(MachineException e) {
        return switch (e.kind()) {
            case UNREACHABLE, TIMEOUT, PROTOCOL -> NotYet.unreachable(RETRY, e.words());
            case AUTH, HOST_KEY, UNUSABLE, LOCAL -> NotYet.never(e.words());
        };
    }
}
