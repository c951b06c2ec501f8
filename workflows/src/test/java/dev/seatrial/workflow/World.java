package dev.seatrial.workflow;

import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.SshEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What lies outside the workflows, scripted: a cloud whose instances exist from the create to the release, machines whose
 * stages end when told. It keeps a diary and counts what is running, as a meter would.
 */
final class World implements LeaseActivities, StageActivities, TrialActivities, EvaluationActivities {
    static final String ID_PREFIX = "i-";

    final List<String> diary = new ArrayList<>();
    final Set<String> running = new TreeSet<>();
    final Set<String> everCreated = new TreeSet<>();
    final Deque<CreateResult> creates = new ArrayDeque<>();
    final Map<String, Deque<Verdict>> verdicts = new HashMap<>();
    final Map<String, String> ends = new HashMap<>();
    private final LongSupplier now;

    volatile LeaseOpening.Decision decision = LeaseOpening.Decision.GRANTED;
    volatile Duration hold = Duration.ofHours(1);
    volatile boolean createLosesAnswer;
    volatile boolean createIsSlow;
    volatile boolean neverReady;
    volatile boolean neverAnswersReady;
    volatile int refuseReleases;
    volatile boolean stagesHang;
    volatile boolean borrowed;
    volatile int wholeMachine;
    volatile int multiOnlyAfterSingles;
    final List<LeaseRequest> requests = new ArrayList<>();
    volatile Predicate<StageRun> stageDone = run -> true;
    volatile Optional<RuntimeException> finishBug = Optional.empty();
    final CountDownLatch createEntered = new CountDownLatch(1);
    final CountDownLatch createMayReturn = new CountDownLatch(1);

    World(LongSupplier now) {
        this.now = now;
    }

    synchronized void note(String line) {
        diary.add(line);
    }

    synchronized List<String> told(String prefix) {
        return diary.stream().filter(d -> d.startsWith(prefix)).toList();
    }

    synchronized List<String> stillRunning() {
        return List.copyOf(running);
    }

    @Override
    public LeaseOpening open(LeaseRequest request) {
        String lease = leaseOf(request);
        note("open " + lease);
        synchronized (this) {
            requests.add(request);
            if (request.key().phase() == Phase.MULTI && told("single done").size() < multiOnlyAfterSingles) {
                return new LeaseOpening(
                        LeaseOpening.Decision.LATER,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        "kept for others");
            }
        }
        if (decision != LeaseOpening.Decision.GRANTED) {
            return new LeaseOpening(decision, Optional.empty(), Optional.empty(), Optional.empty(), "short of 1 CNY");
        }
        Instant deadline = Instant.ofEpochMilli(now.getAsLong()).plus(hold);
        return new LeaseOpening(
                decision,
                Optional.of(
                        new LeaseHandle(lease, "sim", "st-test-" + lease + "-t1", Optional.empty(), Optional.empty())),
                Optional.of(deadline),
                Optional.of(deadline.plusSeconds(120)),
                "");
    }

    @Override
    public CreateResult create(LeaseHandle lease, LeaseRequest request) {
        note("create " + lease.lease());
        createEntered.countDown();
        CreateResult scripted;
        synchronized (this) {
            scripted = creates.isEmpty()
                    ? new CreateResult(
                            CreateResult.Outcome.CREATED, Optional.of(ID_PREFIX + lease.lease()), Optional.empty(), "")
                    : creates.poll();
            if (scripted.outcome() != CreateResult.Outcome.NOT_CREATED) {
                running.add(ID_PREFIX + lease.lease());
                everCreated.add(ID_PREFIX + lease.lease());
            }
        }
        if (createIsSlow) {
            try {
                createMayReturn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (createLosesAnswer) {
            throw new IllegalStateException("connection reset");
        }
        note("answered " + lease.lease());
        return scripted;
    }

    @Override
    public CreateResult resolve(LeaseHandle lease) {
        note("resolve " + lease.lease());
        synchronized (this) {
            return running.contains(ID_PREFIX + lease.lease())
                    ? new CreateResult(
                            CreateResult.Outcome.CREATED, Optional.of(ID_PREFIX + lease.lease()), Optional.empty(), "")
                    : new CreateResult(
                            CreateResult.Outcome.NOT_CREATED,
                            Optional.empty(),
                            Optional.of(ErrorKind.VENDOR_UNAVAILABLE),
                            "never made");
        }
    }

    @Override
    public ReadyResult awaitReady(LeaseHandle lease) {
        if (neverAnswersReady) {
            throw NotYet.after(Duration.ofSeconds(5), "booting");
        }
        return neverReady
                ? new ReadyResult(Optional.empty(), "the vendor says ERROR")
                : new ReadyResult(Optional.of(new SshEndpoint("127.0.0.1", 22, "root")), "");
    }

    @Override
    public long releaseUntilGone(LeaseHandle lease, String reason) {
        synchronized (this) {
            if (refuseReleases > 0) {
                refuseReleases--;
                throw NotYet.after(Duration.ofMinutes(5), "still provisioning, says the vendor");
            }
            running.remove(ID_PREFIX + lease.lease());
        }
        note("released " + lease.lease() + ": " + reason);
        return now.getAsLong();
    }

    @Override
    public void prepare(StageTarget target) {
        note("prepare " + target.lease().lease());
    }

    @Override
    public void start(StageRun run) {
        note("start " + run.id());
    }

    @Override
    public void await(StageRun run) {
        if (stagesHang || !stageDone.test(run)) {
            throw NotYet.after(Duration.ofSeconds(2), "running");
        }
    }

    @Override
    public StageSummary finish(StageRun run, String howItEnded) {
        note("finish " + run.stage().word() + " " + howItEnded);
        if (finishBug.isPresent()) {
            throw finishBug.get();
        }
        String key = run.target().phase().word() + "/" + run.stage().word();
        Verdict verdict;
        synchronized (this) {
            Deque<Verdict> scripted = verdicts.getOrDefault(key, new ArrayDeque<>());
            verdict = scripted.isEmpty() ? Verdict.PASS : scripted.poll();
        }
        Map<String, Verdict> metrics = run.stage() == StageName.COMPUTE
                ? Map.of(
                        "matmul_bf16_sustained", verdict,
                        "memory_copy", verdict,
                        "h2d_pinned", verdict,
                        "d2h_pinned", verdict)
                : Map.of();
        return new StageSummary(
                run.id(),
                run.target().phase(),
                run.target().gpus(),
                run.stage(),
                howItEnded.equals("ok") ? verdict : Verdict.UNKNOWN,
                "because of the script",
                metrics,
                List.of(),
                false);
    }

    @Override
    public void stop(StageRun run) {
        note("stop " + run.stage().word());
    }

    @Override
    public void clean(StageTarget target) {
        note("clean " + target.lease().lease());
    }

    @Override
    public OfferChoice offers(String evaluation, String candidate, int gpus) {
        return new OfferChoice(
                List.of(Plans.offer(Math.max(gpus, wholeMachine))),
                true,
                borrowed,
                Duration.ofMinutes(5),
                Duration.ofSeconds(5));
    }

    @Override
    public void position(String evaluation, String candidate, String state, String phase, String stage) {
        note("position " + state + " " + phase + " " + stage);
    }

    @Override
    public void singleDone(String evaluation, String candidate) {
        note("single done " + candidate);
    }

    @Override
    public void note(String evaluation, String candidate, String code, String words) {
        note("note " + code + " " + words);
    }

    @Override
    public TrialOutcome conclude(
            String evaluation, String candidate, List<StageSummary> stages, Optional<Stop> stopped, boolean rented) {
        note("concluded " + candidate + " "
                + stopped.map(s -> s.at() + " " + s.kind()).orElse("through"));
        Verdict worst = stages.stream().map(StageSummary::verdict).reduce(Verdict.SKIPPED, Verdict::worse);
        return new TrialOutcome(
                candidate,
                worst,
                stopped.map(Stop::words).orElse(""),
                stopped.map(Stop::at),
                rented,
                stopped.map(s -> s.kind().equals("budget")).orElse(false),
                stopped.map(s -> s.kind().equals("cancelled")).orElse(false));
    }

    @Override
    public void conclude(String evaluation, List<TrialOutcome> outcomes, String failure) {
        note("evaluation over: " + outcomes.size() + " " + failure);
    }

    @Override
    public void raiseCap(String evaluation, CapRaise raise) {
        note("cap " + raise.candidate().orElse("of all") + " " + raise.cap());
    }

    @Override
    public void awaitingApproval(String evaluation) {
        note("approval");
    }

    private static String leaseOf(LeaseRequest request) {
        return request.key().candidate()
                + request.key().phase().word().charAt(0)
                + request.key().ordinal();
    }
}
