package dev.seatrial.app.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.app.bench.Judge;
import dev.seatrial.app.engine.Engine;
import dev.seatrial.app.engine.TrialActivitiesImpl;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.workflow.CapRaise;
import dev.seatrial.workflow.EvaluationInput;
import dev.seatrial.workflow.EvaluationWorkflow;
import dev.seatrial.workflow.OfferChoice;
import dev.seatrial.workflow.Payloads;
import dev.seatrial.workflow.Queues;
import dev.seatrial.workflow.TrialInput;
import dev.seatrial.workflow.WorkflowIds;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.client.WorkflowUpdateException;
import io.temporal.failure.ApplicationFailure;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.joda.money.BigMoney;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and steers workflows of the embedded engine; what can be seen of them is in the ledger. */
public final class DefaultEvaluationService implements EvaluationService {
    private static final Logger LOG = LoggerFactory.getLogger(DefaultEvaluationService.class);
    private static final String ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
    private static final int ID_LENGTH = 10;
    /** Evaluations and trials after which an idle embedded engine is replaced. */
    private static final int RENEW_AFTER = 200;

    private final Ledger ledger;
    private final Providers providers;
    private final Supplier<Engine> engines;
    private final Judge judge;
    private final String owner;
    private final InstantSource clock;
    private final ObjectMapper mapper = Payloads.mapper();
    private final SecureRandom random = new SecureRandom();
    private final Map<String, CompletableFuture<EvaluationStatus>> running = new ConcurrentHashMap<>();
    private volatile Engine engine;
    private int sinceRenewal;

    public DefaultEvaluationService(
            Ledger ledger,
            Providers providers,
            Supplier<Engine> engines,
            Judge judge,
            String owner,
            InstantSource clock) {
        this.ledger = ledger;
        this.providers = providers;
        this.engines = engines;
        this.engine = engines.get();
        this.judge = judge;
        this.owner = owner;
        this.clock = clock;
    }

    @Override
    public synchronized String start(
            Plan plan, List<String> candidates, List<Unusable> unusable, String who, Optional<String> key) {
        String id = key.map(DefaultEvaluationService::idOf).orElseGet(this::newId);
        Optional<EvaluationRow> before = key.flatMap(k -> ledger.evaluation(id));
        if (before.isPresent()) {
            if (!before.get().planHash().equals(plan.hash())) {
                throw new IllegalArgumentException(
                        "this idempotency key started evaluation " + id + " of another plan");
            }
            return id;
        }
        Instant now = clock.instant();
        Map<String, String> why = new LinkedHashMap<>();
        unusable.forEach(u -> why.put(u.candidate(), u.why()));
        List<TrialRow> trials = new ArrayList<>();
        BigMoney kept = BigMoney.zero(plan.budget().currency());
        boolean simulated = true;
        for (Candidate c : plan.candidates()) {
            boolean usable = candidates.contains(c.name());
            boolean sim = simulated(c);
            simulated &= sim;
            BigMoney earmark =
                    usable ? earmark(plan, c, now) : BigMoney.zero(plan.budget().currency());
            // First come, first kept: what no longer fits is refused by the ledger with the exact amount missing.
            if (kept.plus(earmark).isGreaterThan(plan.budget().cap())) {
                earmark = BigMoney.zero(plan.budget().currency());
            }
            kept = kept.plus(earmark);
            trials.add(trialRow(id, c, trials.size(), sim, usable, why.getOrDefault(c.name(), ""), earmark));
        }
        EvaluationRow row = new EvaluationRow(
                id,
                plan.name(),
                plan.hash(),
                write(plan),
                EvaluationStatus.RUNNING,
                simulated,
                owner,
                now,
                Optional.empty(),
                "");
        ledger.openEvaluation(row, plan, trials);
        ledger.audit(who, "start", id, now);
        List<TrialInput> inputs = candidates.stream()
                .map(c -> new TrialInput(id, plan, c, notAfter(plan, now), List.of(), 0, 0))
                .toList();
        launch(new EvaluationInput(id, plan, notAfter(plan, now), inputs));
        return id;
    }

    @Override
    public synchronized void resume(String evaluation, String who) {
        EvaluationRow row = ledger.evaluation(evaluation)
                .orElseThrow(() -> new IllegalArgumentException("there is no evaluation " + evaluation));
        if (row.status() != EvaluationStatus.INTERRUPTED) {
            throw new IllegalArgumentException(
                    "evaluation " + evaluation + " is " + row.status().word() + ", only an interrupted one is resumed");
        }
        Plan plan = read(row.planJson());
        Instant now = clock.instant();
        List<TrialInput> inputs = new ArrayList<>();
        for (TrialRow t : ledger.trials(evaluation)) {
            if (t.verdict().isEmpty()) {
                inputs.add(new TrialInput(
                        evaluation,
                        plan,
                        t.candidate(),
                        notAfter(plan, now),
                        finished(evaluation, t.candidate()),
                        ledger.lastOrdinal(evaluation, t.candidate(), Phase.SINGLE),
                        ledger.lastOrdinal(evaluation, t.candidate(), Phase.MULTI)));
            }
        }
        ledger.evaluationOwner(evaluation, owner);
        ledger.evaluationStatus(evaluation, EvaluationStatus.RUNNING, "resumed", now);
        ledger.audit(who, "resume", evaluation, now);
        launch(new EvaluationInput(evaluation, plan, notAfter(plan, now), inputs));
    }

    @Override
    public CompletableFuture<EvaluationStatus> completion(String evaluation) {
        return running.getOrDefault(evaluation, CompletableFuture.completedFuture(status(evaluation)));
    }

    @Override
    public boolean cancel(String evaluation, String who) {
        CompletableFuture<EvaluationStatus> end = running.get(evaluation);
        if (end == null || end.isDone()) {
            return false;
        }
        try {
            stub(WorkflowIds.evaluation(evaluation)).cancel();
        } catch (WorkflowNotFoundException e) {
            return false;
        }
        audit(who, "cancel", evaluation);
        return true;
    }

    @Override
    public void cancelAll(String who) {
        running.keySet().forEach(evaluation -> cancel(evaluation, who));
    }

    @Override
    public Optional<String> approve(String evaluation, String candidate, boolean yes, String who) {
        Optional<String> refused = updateTrial(evaluation, candidate, "approveEscalation", yes, who);
        if (refused.isEmpty()) {
            audit(who, yes ? "approve" : "refuse", evaluation + "/" + candidate);
        }
        return refused;
    }

    @Override
    public Optional<String> skip(String evaluation, String candidate, Optional<String> stage, String who) {
        Optional<String> running = stage.or(() -> ledger.trials(evaluation).stream()
                .filter(t -> t.candidate().equals(candidate))
                .findFirst()
                .map(TrialRow::stage)
                .filter(s -> !s.isEmpty()));
        if (running.isEmpty()) {
            return Optional.of("no stage of " + candidate + " runs now");
        }
        Optional<String> refused = updateTrial(evaluation, candidate, "skipStage", running.get());
        if (refused.isEmpty()) {
            audit(who, "skip", evaluation + "/" + candidate + ": " + running.get());
        }
        return refused;
    }

    @Override
    public Optional<String> cancelTrial(String evaluation, String candidate, String who) {
        Optional<String> refused = updateTrial(evaluation, candidate, "cancelTrial", who);
        if (refused.isEmpty()) {
            audit(who, "cancel", evaluation + "/" + candidate);
        }
        return refused;
    }

    @Override
    public Optional<String> raiseCap(String evaluation, Optional<String> candidate, BigDecimal cap, String who) {
        BigMoney present;
        try {
            present = ledger.cap(evaluation);
            if (candidate.isPresent()) {
                Optional<BigMoney> own = ledger.candidateCap(evaluation, candidate.get());
                if (own.isEmpty()) {
                    return Optional.of(
                            candidate.get() + " has no cap of its own; raise the evaluation's, which is " + present);
                }
                present = own.get();
            }
        } catch (LedgerException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
        BigMoney wanted = BigMoney.of(present.getCurrencyUnit(), cap);
        if (!wanted.isGreaterThan(present)) {
            return Optional.of("the cap is " + present + "; it can only be raised");
        }
        // The workflow writes it, and the audit with it.
        return update(
                WorkflowIds.evaluation(evaluation),
                "evaluation " + evaluation + " does not run here",
                "raiseCap",
                new CapRaise(candidate, wanted, who));
    }

    private Optional<String> updateTrial(String evaluation, String candidate, String update, Object... args) {
        return update(
                WorkflowIds.trial(evaluation, candidate),
                "trial " + candidate + " of " + evaluation + " is not running here",
                update,
                args);
    }

    /** @return empty when the workflow took it, else why not */
    private Optional<String> update(String workflow, String absent, String update, Object... args) {
        try {
            stub(workflow).update(update, Void.class, args);
            return Optional.empty();
        } catch (WorkflowUpdateException e) {
            Throwable t = e;
            while (t.getCause() != null) {
                t = t.getCause();
            }
            return Optional.of(
                    t instanceof ApplicationFailure failure
                            ? failure.getOriginalMessage()
                            : String.valueOf(t.getMessage()));
        } catch (WorkflowException e) {
            return Optional.of(absent);
        }
    }

    @Override
    public boolean releaseLease(String lease, String who) {
        Optional<LeaseRow> row = ledger.lease(lease);
        if (row.isEmpty() || row.get().state().terminal() || !row.get().owner().equals(owner)) {
            return false;
        }
        try {
            stub(WorkflowIds.lease(row.get().key())).signal("release", "asked by " + who);
        } catch (WorkflowException e) {
            return false;
        }
        audit(who, "release", lease);
        return true;
    }

    /** After the fact: a ledger that does not answer must not keep anybody from stopping what costs money. */
    private void audit(String who, String what, String subject) {
        try {
            ledger.audit(who, what, subject, clock.instant());
        } catch (LedgerException e) {
            LOG.warn("{} of {} by {} is not in the audit: {}", what, subject, who, e.getMessage());
        }
    }

    @Override
    public boolean busy() {
        return running.values().stream().anyMatch(f -> !f.isDone());
    }

    @Override
    public void close() {
        engine.close();
    }

    /** The engine never forgets a workflow; a service that lives for months takes a new one when nothing runs. */
    private void renewWhenIdle() {
        if (sinceRenewal < RENEW_AFTER || busy()) {
            return;
        }
        engine.close();
        engine = engines.get();
        running.clear();
        sinceRenewal = 0;
    }

    private void launch(EvaluationInput input) {
        renewWhenIdle();
        sinceRenewal += 1 + input.trials().size();
        EvaluationWorkflow workflow = engine.client()
                .newWorkflowStub(
                        EvaluationWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.evaluation(input.evaluation()))
                                .setWorkflowIdConflictPolicy(WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_FAIL)
                                .setTaskQueue(Queues.CONTROL)
                                .build());
        WorkflowClient.start(workflow::run, input);
        running.put(
                input.evaluation(),
                WorkflowStub.fromTyped(workflow)
                        .getResultAsync(List.class)
                        .handle((ok, failure) -> ended(input.evaluation(), Optional.ofNullable(failure))));
    }

    private EvaluationStatus ended(String evaluation, Optional<Throwable> failure) {
        if (failure.isPresent() && !status(evaluation).ended()) {
            LOG.error("evaluation {} failed", evaluation, failure.get());
            ledger.evaluationStatus(
                    evaluation,
                    EvaluationStatus.FAILED,
                    "a bug of ours: " + failure.get().getMessage(),
                    clock.instant());
        }
        return status(evaluation);
    }

    private EvaluationStatus status(String evaluation) {
        return ledger.evaluation(evaluation).map(EvaluationRow::status).orElse(EvaluationStatus.FAILED);
    }

    private WorkflowStub stub(String workflowId) {
        return engine.client().newUntypedWorkflowStub(workflowId);
    }

    /** Stages whose result stands; what could not be told is measured again. */
    private List<StageSummary> finished(String evaluation, String candidate) {
        return ledger.stageResults(evaluation, candidate).stream()
                .filter(r -> r.verdict() != Verdict.UNKNOWN)
                .map((StageResult r) -> judge.summary(r))
                .toList();
    }

    private BigMoney earmark(Plan plan, Candidate candidate, Instant now) {
        int gpus = candidate.wantsGpu() ? 1 : 0;
        try {
            OfferChoice choice = TrialActivitiesImpl.choose(providers.get(candidate.provider()), plan, candidate, gpus);
            Capabilities traits = providers.get(candidate.provider()).capabilities();
            return choice.offers().stream()
                    .findFirst()
                    .map(o -> plan.budget().convertUp(worstSingle(plan, choice, traits, o, now)))
                    .orElse(BigMoney.zero(plan.budget().currency()));
        } catch (ProviderException | Providers.ConfigException e) {
            // The trial itself will say what is wrong with the account; nothing needs to be kept for it.
            return BigMoney.zero(plan.budget().currency());
        }
    }

    private static BigMoney worstSingle(Plan plan, OfferChoice choice, Capabilities traits, Offer offer, Instant now) {
        Duration provisioning = choice.provisioning().compareTo(plan.limits().provisioning()) < 0
                ? choice.provisioning()
                : plan.limits().provisioning();
        Duration needed = provisioning.plus(WorkTime.single(plan));
        return LeaseTiming.plan(now, needed, now.plus(needed), traits, offer.pricing())
                .reserved();
    }

    private boolean simulated(Candidate c) {
        try {
            return providers.get(c.provider()).capabilities().simulated();
        } catch (Providers.ConfigException e) {
            return false;
        }
    }

    private static TrialRow trialRow(
            String evaluation, Candidate c, int position, boolean sim, boolean usable, String why, BigMoney earmark) {
        return new TrialRow(
                evaluation,
                c.name(),
                c.provider().value(),
                position,
                sim,
                usable ? "waiting" : "done",
                "",
                "",
                !usable,
                earmark.getAmount()
                        .movePointRight(Budget.SCALE)
                        .setScale(0, RoundingMode.CEILING)
                        .longValueExact(),
                usable ? Optional.empty() : Optional.of(Verdict.UNKNOWN),
                why,
                usable ? Optional.empty() : Optional.of("provisioning"),
                Coverage.NOTHING);
    }

    private static Instant notAfter(Plan plan, Instant now) {
        Instant byLength = now.plus(plan.limits().evaluation());
        return plan.limits().until().filter(u -> u.isBefore(byLength)).orElse(byLength);
    }

    /** The same for the same key, so that the ledger itself knows which keys were used. */
    private static String idOf(String key) {
        byte[] digest = sha256(key);
        StringBuilder id = new StringBuilder(ID_LENGTH);
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(ALPHABET.charAt((digest[i] & 0xff) % ALPHABET.length()));
        }
        return id.toString();
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private String newId() {
        StringBuilder id = new StringBuilder(ID_LENGTH);
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }

    private String write(Plan plan) {
        try {
            return mapper.writeValueAsString(plan);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a plan cannot be written as JSON", e);
        }
    }

    private Plan read(String json) {
        try {
            return mapper.readValue(json, Plan.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the plan in the ledger cannot be read: " + e.getOriginalMessage());
        }
    }
}
