package dev.seatrial.app.report;

import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseKey;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.money.LeaseTiming;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;

/** Three simulated vendors as the quickstart has them: healthy, slow, and one that loses answers. */
final class Sample {
    static final String ID = "q7f2k9w3ab";
    static final Instant START = Instant.parse("2026-11-30T01:00:00Z");
    static final Coverage TESTED =
            new Coverage(CoverageLevel.EXCLUDED, CoverageLevel.EXCLUDED, CoverageLevel.NOT_TESTED);

    /** Names that no other part of the program decides, so that golden files change only with the report. */
    static final Wording WORDING = new Wording() {
        @Override
        public String metric(String name, java.util.Locale locale) {
            return name.replace('_', ' ');
        }
    };

    private static final String SOURCE = "median of three healthy cards, own measurement";

    private Sample() {}

    static FixedLedger quickstart() {
        FixedLedger ledger = new FixedLedger(
                new EvaluationRow(
                        ID,
                        "quickstart",
                        "9f3c2ab17de4006655443322110099887766554433221100ffeeddccbbaa9988",
                        "{}",
                        EvaluationStatus.COMPLETED,
                        true,
                        "embedded:1",
                        START,
                        Optional.of(START.plusSeconds(71)),
                        ""),
                BigMoney.parse("CNY 20"));
        steady(ledger);
        discount(ledger);
        flaky(ledger);
        return ledger;
    }

    static Plan plan() {
        Map<StageName, Duration> limits = new EnumMap<>(StageName.class);
        for (StageName stage : StageName.values()) {
            limits.put(stage, Duration.ofSeconds(20));
        }
        return new Plan(
                "quickstart",
                "9f3c2ab17de4",
                "quick",
                new Budget(BigMoney.parse("CNY 20"), Map.of()),
                List.of(candidate("sim-steady"), candidate("sim-discount"), candidate("sim-flaky")),
                List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.STORAGE),
                Optional.of(new MultiPhase(
                        List.of(2, 8),
                        List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.INTERCONNECT),
                        false)),
                Duration.ofHours(1),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                new Limits(Duration.ofSeconds(60), Duration.ofMinutes(10), Optional.empty(), limits, Optional.empty()),
                Set.of(),
                Duration.ofHours(1));
    }

    private static Candidate candidate(String name) {
        return new Candidate(
                name,
                new ProviderId(name),
                Optional.empty(),
                "A100-SXM4-80G",
                Optional.empty(),
                name.equals("sim-discount") ? Optional.of(BigMoney.parse("CNY 5")) : Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty());
    }

    static TrialRow trial(
            String name, int position, Optional<Verdict> verdict, String reason, Optional<String> stopped, Coverage c) {
        return new TrialRow(ID, name, name, position, true, "done", "multi", "", true, 0, verdict, reason, stopped, c);
    }

    private static void steady(FixedLedger ledger) {
        String name = "sim-steady";
        ledger.trials.add(trial(
                name,
                0,
                Optional.of(Verdict.PASS),
                "BF16 sustained 271 of 265 = 102 %; all-reduce 232 GB/s on 8 GPUs",
                Optional.empty(),
                TESTED));
        LeaseRow one = lease(ledger, name, Phase.SINGLE, 1, 1, LeaseState.RELEASED, "9", "0.0575", 2, 25);
        LeaseRow eight = lease(ledger, name, Phase.MULTI, 1, 8, LeaseState.RELEASED, "68", "0.528889", 28, 60);
        facts(ledger, name, 1, "5.0.0", 12);
        List<StageResult> stages = new ArrayList<>();
        stages.add(stage(
                name,
                Phase.SINGLE,
                1,
                StageName.ENVIRONMENT,
                one,
                Verdict.PASS,
                "all as offered",
                List.of(),
                List.of()));
        stages.add(stage(
                name,
                Phase.SINGLE,
                1,
                StageName.COMPUTE,
                one,
                Verdict.PASS,
                "BF16 sustained 271 of 265 = 102 %",
                compute(List.of("GPU-1111"), 271.3, 1701, 25.9, Verdict.PASS),
                List.of()));
        stages.add(stage(
                name,
                Phase.SINGLE,
                1,
                StageName.STORAGE,
                one,
                Verdict.PASS,
                "3.2 GB/s",
                disk(3.21, 182_000, Verdict.PASS),
                List.of()));
        List<String> cards = List.of("GPU-a1", "GPU-a2", "GPU-a3", "GPU-a4", "GPU-a5", "GPU-a6", "GPU-a7", "GPU-a8");
        stages.add(stage(
                name,
                Phase.MULTI,
                8,
                StageName.COMPUTE,
                eight,
                Verdict.PASS,
                "slowest 0.98 of fastest",
                compute(cards, 268.9, 1698, 25.7, Verdict.PASS),
                List.of()));
        stages.add(stage(
                name,
                Phase.MULTI,
                8,
                StageName.INTERCONNECT,
                eight,
                Verdict.PASS,
                "all-reduce 232 GB/s",
                List.of(allreduce(1_048_576, 14.2, false), allreduce(4_294_967_296L, 232.4, true)),
                List.of()));
        ledger.results.put(name, stages);
    }

    private static void discount(FixedLedger ledger) {
        String name = "sim-discount";
        ledger.trials.add(trial(
                name,
                1,
                Optional.of(Verdict.FAIL),
                "BF16 sustained 171 of 265 = 65 %, below 80 %",
                Optional.of("single/compute"),
                new Coverage(CoverageLevel.EXCLUDED, CoverageLevel.FOUND, CoverageLevel.NOT_TESTED)));
        LeaseRow one = lease(ledger, name, Phase.SINGLE, 1, 1, LeaseState.RELEASED, "6.5", "0.0451", 2, 27);
        LeaseRow other = lease(ledger, name, Phase.SINGLE, 2, 1, LeaseState.RELEASED, "6.5", "0.0325", 30, 48);
        facts(ledger, name, 1, "5.0.0", 12);
        Finding link = new Finding(
                "PCIE_WIDTH",
                Severity.FAIL,
                Owner.VENDOR,
                "The GPU is attached with 4 of 16 PCIe lanes under load.",
                Map.of(),
                "pcie.link.width.current, pcie.link.width.max\n4, 16",
                "Ask the vendor for a slot with all lanes, or for a price that fits a starved card.");
        Finding disk = new Finding(
                "STORAGE_OVERLAY",
                Severity.WARN,
                Owner.IMAGE,
                "The work directory is on an overlay file system.",
                Map.of(),
                "",
                "Mount a data volume and name it in the plan.");
        List<StageResult> stages = new ArrayList<>();
        stages.add(stage(
                name,
                Phase.SINGLE,
                1,
                StageName.ENVIRONMENT,
                one,
                Verdict.PASS,
                "all as offered",
                List.of(),
                List.of()));
        for (int attempt : new int[] {1, 2}) {
            StageResult s = stage(
                    name,
                    Phase.SINGLE,
                    1,
                    StageName.COMPUTE,
                    attempt == 1 ? one : other,
                    Verdict.FAIL,
                    "BF16 sustained 171 of 265 = 65 %, below 80 %",
                    compute(List.of("GPU-d" + attempt), attempt == 1 ? 170.2 : 171.4, 1112, 6.41, Verdict.FAIL),
                    List.of(link));
            stages.add(new StageResult(
                    s.stageRun() + attempt,
                    s.phase(),
                    s.gpus(),
                    s.stage(),
                    s.lease(),
                    attempt,
                    s.verdict(),
                    s.reason(),
                    s.startedAt().plusSeconds(attempt),
                    s.endedAt().map(e -> e.plusSeconds(attempt)),
                    s.measurements(),
                    s.findings()));
        }
        stages.add(stage(
                name,
                Phase.SINGLE,
                1,
                StageName.STORAGE,
                one,
                Verdict.WARN,
                "0.18 GB/s",
                disk(0.18, 21_400, Verdict.WARN),
                List.of(disk)));
        ledger.results.put(name, stages);
    }

    private static void flaky(FixedLedger ledger) {
        String name = "sim-flaky";
        ledger.trials.add(trial(
                name,
                2,
                Optional.of(Verdict.WARN),
                "all baselines pass; release was refused for 5 s",
                Optional.empty(),
                TESTED));
        LeaseRow none = lease(ledger, name, Phase.SINGLE, 1, 1, LeaseState.NOT_CREATED, "8", "0", 1, 2);
        ledger.leases.set(ledger.leases.size() - 1, withNote(none, "no_capacity: no A100-SXM4-80G left in sim-1"));
        for (int i = 3; i > 0; i--) {
            ledger.audits.add(new AuditRow(
                    START.plusSeconds(i), "trial", "NO_CAPACITY", ID + "/sim-flaky: no A100-SXM4-80G left in sim-1"));
        }
        ledger.audits.add(new AuditRow(START, "user", "start", ID));
        LeaseRow one = lease(ledger, name, Phase.SINGLE, 2, 1, LeaseState.RELEASED, "8", "0.0622", 6, 34);
        facts(ledger, name, 1, "5.0.0", 12);
        ledger.results.put(
                name,
                List.of(
                        stage(
                                name,
                                Phase.SINGLE,
                                1,
                                StageName.ENVIRONMENT,
                                one,
                                Verdict.PASS,
                                "all as offered",
                                List.of(),
                                List.of()),
                        stage(
                                name,
                                Phase.SINGLE,
                                1,
                                StageName.COMPUTE,
                                one,
                                Verdict.PASS,
                                "BF16 sustained 266 of 265 = 100 %",
                                compute(List.of("GPU-f1"), 266.0, 1689, 25.8, Verdict.PASS),
                                List.of()),
                        stage(
                                name,
                                Phase.SINGLE,
                                1,
                                StageName.STORAGE,
                                one,
                                Verdict.PASS,
                                "3.1 GB/s",
                                disk(3.12, 178_500, Verdict.PASS),
                                List.of())));
    }

    static LeaseRow withNote(LeaseRow l, String note) {
        return new LeaseRow(
                l.id(),
                l.key(),
                l.provider(),
                l.offer(),
                l.region(),
                l.gpu(),
                l.gpus(),
                l.name(),
                l.token(),
                l.pricing(),
                l.timing(),
                l.reservedInPlan(),
                l.fxRate(),
                l.borrowed(),
                l.state(),
                l.fence(),
                l.instance(),
                l.endpoint(),
                l.sentAt(),
                l.readyAt(),
                l.releaseAskedAt(),
                l.releasedAt(),
                l.cost(),
                l.costInPlan(),
                l.overrunInPlan(),
                note,
                l.owner());
    }

    /** A lease from one second of the evaluation to another, with the events of its kind. */
    static LeaseRow lease(
            FixedLedger ledger,
            String candidate,
            Phase phase,
            int ordinal,
            int gpus,
            LeaseState state,
            String hourly,
            String cost,
            int from,
            int to) {
        String word = candidate.replace("sim-", "").replaceAll("[^a-z0-9]", "x");
        String id = word.substring(0, Math.min(word.length(), 12)) + phase.word() + ordinal;
        Instant asked = START.plusSeconds(from);
        Instant gone = START.plusSeconds(to);
        boolean created = state != LeaseState.NOT_CREATED;
        boolean closed = state.terminal();
        LeaseTiming timing =
                new LeaseTiming(asked, asked.plusSeconds(120), asked.plusSeconds(230), BigMoney.parse("CNY 0.9"));
        BigMoney price = BigMoney.parse("CNY " + hourly);
        LeaseRow row = new LeaseRow(
                id,
                new LeaseKey(ID, candidate, phase, ordinal),
                new ProviderId(candidate.matches("[a-z0-9-]{1,40}") ? candidate : "other"),
                "offer-1",
                "sim-1",
                "A100-SXM4-80G",
                gpus,
                new LeaseName("abcd1234", id, asked.plusSeconds(120)),
                "token-never-shown",
                Pricing.of(price, BillingIncrement.SECOND, Duration.ZERO),
                timing,
                BigMoney.parse("CNY 0.9"),
                "1",
                false,
                state,
                5,
                created ? Optional.of(new InstanceId("i-" + id)) : Optional.empty(),
                Optional.empty(),
                Optional.of(asked),
                created ? Optional.of(asked.plusMillis(2_400)) : Optional.empty(),
                created && closed ? Optional.of(gone.minusSeconds(4)) : Optional.empty(),
                closed ? Optional.of(gone) : Optional.empty(),
                closed ? Optional.of(BigMoney.parse("CNY " + cost)) : Optional.empty(),
                closed ? Optional.of(BigMoney.parse("CNY " + cost)) : Optional.empty(),
                BigMoney.parse("CNY 0"),
                "",
                "embedded:1");
        ledger.leases.add(row);
        List<LeaseEvent> story = new ArrayList<>();
        event(story, id, asked, "intended", "reserved CNY 0.90");
        event(story, id, asked.plusMillis(40), "create-sent", "offer-1 in sim-1");
        if (created) {
            event(story, id, asked.plusMillis(400), "provisioning", "i-" + id);
            event(story, id, asked.plusMillis(2_400), "ready", "127.0.0.1:40022");
            event(story, id, asked.plusMillis(2_500), "host-key", "SHA256:abc (trusted on first use)");
        }
        if (created && closed) {
            if (candidate.equals("sim-flaky")) {
                event(story, id, gone.minusSeconds(4), LeaseEvent.REFUSED, "instance is busy, retry in 2 s");
            }
            event(story, id, gone.minusSeconds(3), LeaseEvent.ASKED, "i-" + id);
            event(story, id, gone.minusSeconds(2), LeaseEvent.ABSENT, "list of 1 page");
            event(story, id, gone, LeaseEvent.ABSENT, "list of 1 page");
            event(story, id, gone, state.name().toLowerCase(java.util.Locale.ROOT), "closed");
        }
        ledger.events.put(id, story);
        return row;
    }

    private static void event(List<LeaseEvent> story, String lease, Instant at, String type, String detail) {
        story.add(new LeaseEvent(lease, story.size() + 1, at, type, detail));
    }

    private static void facts(FixedLedger ledger, String candidate, int gpus, String torch, int links) {
        String run = candidate + "-single-environment";
        ledger.runs.add(new StageRunRow(
                run,
                ID,
                candidate,
                Phase.SINGLE,
                1,
                StageName.ENVIRONMENT,
                "lease",
                1,
                "judged",
                100,
                1,
                "",
                START.plusSeconds(5),
                Optional.of(START.plusSeconds(7)),
                "ok"));
        String card =
                "{\"name\":\"NVIDIA A100-SXM4-80GB\",\"pciDeviceId\":\"20b2\",\"memoryMiB\":81920,\"smCount\":108,"
                        + "\"driver\":\"570.86.15\",\"nvlinks\":" + links + "}";
        ledger.stageEvents.put(
                run,
                List.of(
                        new StoredEvent(1, "not json at all"),
                        new StoredEvent(
                                2,
                                "{\"seatrial\":1,\"seq\":2,\"type\":\"fact\",\"name\":\"gpus\",\"value\":["
                                        + String.join(",", java.util.Collections.nCopies(gpus, card)) + "]}"),
                        new StoredEvent(
                                3,
                                "{\"seatrial\":1,\"seq\":3,\"type\":\"fact\",\"name\":\"software\",\"value\":{\"torch\":\""
                                        + (candidate.endsWith("discount") ? "2.3.1" : "2.6.0")
                                        + "\",\"torchCuda\":\"12.4\",\"nccl\":[2,21,5]}}"),
                        new StoredEvent(
                                4,
                                "{\"seatrial\":1,\"seq\":4,\"type\":\"fact\",\"name\":\"host\",\"value\":{\"cpusUsable\":16,"
                                        + "\"cpuModel\":\"Simulated CPU\",\"memoryMiB\":131072,\"container\":null,"
                                        + "\"virtualization\":\"kvm\",\"os\":\"Ubuntu 24.04\"}}")));
    }

    static StageResult stage(
            String candidate,
            Phase phase,
            int gpus,
            StageName stage,
            LeaseRow lease,
            Verdict verdict,
            String reason,
            List<Measurement> measurements,
            List<Finding> findings) {
        Instant from = lease.timing().requestedAt().plusSeconds(3L + 3L * stage.ordinal());
        String attempt = stage == StageName.COMPUTE && candidate.equals("sim-discount") ? "-" : "";
        return new StageResult(
                candidate + "-" + phase.word() + (phase == Phase.MULTI ? gpus : "") + "-" + stage.word() + attempt,
                phase,
                gpus,
                stage,
                lease.id(),
                1,
                verdict,
                reason,
                from,
                Optional.of(from.plusMillis(2_600)),
                measurements,
                findings);
    }

    private static List<Measurement> compute(
            List<String> cards, double bf16, double memory, double pcie, Verdict verdict) {
        List<Measurement> all = new ArrayList<>();
        for (int i = 0; i < cards.size(); i++) {
            double less = 1 - 0.003 * i;
            String gpu = cards.get(i);
            all.add(metric("matmul_bf16_sustained", Optional.of(gpu), bf16 * less, "TFLOP/s", 265, verdict));
            all.add(metric("memory_copy", Optional.of(gpu), memory * less, "GB/s", 1700, verdict));
            all.add(metric("h2d_pinned", Optional.of(gpu), pcie, "GB/s", 25.5, verdict));
        }
        return all;
    }

    private static List<Measurement> disk(double read, double iops, Verdict verdict) {
        return List.of(
                metric("storage_seq_read", Optional.empty(), read, "GB/s", 0, verdict),
                metric("storage_rand_read_4k", Optional.empty(), iops, "IOPS", 0, verdict));
    }

    private static Measurement allreduce(long bytes, double value, boolean largest) {
        Measurement m = metric("allreduce_busbw", Optional.empty(), value, "GB/s", 230, Verdict.PASS);
        return new Measurement(
                m.name(),
                m.gpu(),
                m.value(),
                m.unit(),
                m.samples(),
                m.min(),
                m.max(),
                m.cv(),
                m.method(),
                m.tool(),
                false,
                Map.of("bytes", String.valueOf(bytes), "largest", String.valueOf(largest)),
                m.reference(),
                m.ratio(),
                m.verdict());
    }

    /** @param reference 0 for none */
    static Measurement metric(
            String name, Optional<String> gpu, double value, String unit, double reference, Verdict verdict) {
        Optional<Reference> held = reference == 0
                ? Optional.empty()
                : Optional.of(new Reference(reference, SOURCE, "2026-11", "measured", 0.08));
        return new Measurement(
                name,
                gpu,
                value,
                unit,
                5,
                value * 0.99,
                value * 1.01,
                0.004,
                "method/1",
                "torch 2.6.0",
                false,
                Map.of(),
                held,
                held.map(r -> value / r.value()),
                verdict);
    }
}
