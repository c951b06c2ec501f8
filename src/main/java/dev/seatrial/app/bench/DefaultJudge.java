package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.StageSummary;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Judges stages by the catalogue, the references and the policy. Stateless; safe for many threads. */
public final class DefaultJudge implements Judge {
    private static final int MOST_OVERRIDES = 12;

    private final GpuCatalogue catalogue;
    private final Policy policy;
    private final Texts texts;
    private final MetricJudge metrics;
    private final IdentityRules identity;
    private final MachineRules machine;
    private final List<OwnFiles.Override> overrides;

    public DefaultJudge(GpuCatalogue catalogue, References references, Policy policy) {
        this(catalogue, references, policy, List.of());
    }

    private DefaultJudge(
            GpuCatalogue catalogue, References references, Policy policy, List<OwnFiles.Override> overrides) {
        this.overrides = overrides;
        this.catalogue = catalogue;
        this.policy = policy;
        texts = new Texts(policy);
        metrics = new MetricJudge(references, policy);
        identity = new IdentityRules(catalogue, policy);
        machine = new MachineRules(policy);
    }

    /** With the data that ships with the program. */
    public static DefaultJudge load() {
        return new DefaultJudge(GpuCatalogue.load(), References.load(), Policy.load());
    }

    /** With the user's own files over the shipped data. */
    public static DefaultJudge load(OwnFiles own) {
        return new DefaultJudge(GpuCatalogue.load(own), References.load(own), Policy.load(own), own.overrides());
    }

    @Override
    public StageResult judge(StageEvidence evidence) {
        Evidence read = Evidence.read(evidence.events());
        String ended =
                evidence.run().end().isBlank() ? read.end() : evidence.run().end();
        Case c = new Case(
                evidence.plan(),
                evidence.candidate(),
                evidence.run(),
                read,
                evidence.candidate().wantsGpu()
                        ? catalogue.find(evidence.candidate().gpu())
                        : Optional.empty(),
                ended,
                evidence.past());
        List<Measurement> judged = metrics.judge(c);
        List<Finding> findings = findings(c, judged);
        Decision decision = Decision.of(policy, judged, findings);
        return new StageResult(
                c.run().id(),
                c.run().phase(),
                c.run().gpus(),
                c.run().stage(),
                c.run().lease(),
                c.run().attempt(),
                decision.verdict(),
                texts.reason(c.stage(), decision, Locale.ENGLISH),
                c.run().startedAt(),
                c.run().endedAt(),
                judged,
                findings);
    }

    /** The same figures with what a comparison of the candidates found, in place of what an earlier one did. */
    StageResult again(StageResult result, List<Finding> peers) {
        List<Finding> findings = new ArrayList<>(result.findings().stream()
                .filter(f -> !f.code().equals(Peers.OUTLIER) && !f.code().equals(Peers.NOT_COMPARABLE))
                .toList());
        findings.addAll(peers);
        if (findings.equals(result.findings())) {
            return result;
        }
        Decision decision = Decision.of(policy, result.measurements(), findings);
        return new StageResult(
                result.stageRun(),
                result.phase(),
                result.gpus(),
                result.stage(),
                result.lease(),
                result.attempt(),
                decision.verdict(),
                texts.reason(result.stage(), decision, Locale.ENGLISH),
                result.startedAt(),
                result.endedAt(),
                result.measurements(),
                findings);
    }

    /** What holds the candidates of one evaluation against each other. */
    public Peers peers() {
        return new Peers(this, policy);
    }

    @Override
    public StageSummary summary(StageResult result) {
        Map<String, Verdict> worst = new HashMap<>();
        for (Measurement m : result.measurements()) {
            // A row without a rule does not hide the judged rows of the same metric.
            worst.merge(
                    m.name(), m.verdict(), (a, b) -> a == Verdict.UNKNOWN ? b : b == Verdict.UNKNOWN ? a : a.worse(b));
        }
        // Cards older than BF16 are judged by FP16; whoever asks for the headline figure gets that one's verdict.
        boolean complete = result.findings().stream().noneMatch(f -> f.code().equals("METRIC_MISSING"));
        if (complete && worst.containsKey(Completeness.FP16)) {
            worst.putIfAbsent(Completeness.BF16, worst.get(Completeness.FP16));
        }
        List<String> failed = result.findings().stream()
                .filter(f -> policy.verdict(f).equals(Optional.of(Verdict.FAIL)))
                .map(Finding::code)
                .distinct()
                .toList();
        boolean other =
                result.findings().stream().anyMatch(f -> policy.isIdentity(f.code()) && f.severity() != Severity.INFO);
        return new StageSummary(
                result.stageRun(),
                result.phase(),
                result.gpus(),
                result.stage(),
                result.verdict(),
                result.reason(),
                worst,
                failed,
                other);
    }

    private List<Finding> findings(Case c, List<Measurement> judged) {
        List<Finding> findings = new ArrayList<>();
        c.evidence().findings().forEach(f -> findings.add(weighed(c, f)));
        if (c.status().equals("skipped")) {
            findings.add(Findings.of("STAGE_SKIPPED", Severity.INFO, Owner.OURS));
            return findings;
        }
        if (c.pointless()) {
            if (!c.evidence().has("SINGLE_GPU")) {
                findings.add(Findings.of("SINGLE_GPU", Severity.INFO, Owner.UNKNOWN));
            }
            return findings;
        }
        if (judged.isEmpty() && c.evidence().has("NETWORK_HERE")) {
            return findings;
        }
        if (c.stage() == StageName.ENVIRONMENT) {
            findings.addAll(identity.check(c));
            findings.addAll(software(c));
            ownData().ifPresent(findings::add);
        }
        findings.addAll(machine.check(c, judged));
        findings.addAll(Promises.check(c, judged));
        findings.addAll(Completeness.check(c, policy, judged, findings));
        return List.copyOf(findings);
    }

    /** Whoever reads the report must know that it was not judged by the program's data alone. */
    private Optional<Finding> ownData() {
        if (overrides.isEmpty()) {
            return Optional.empty();
        }
        String what = overrides.stream()
                .limit(MOST_OVERRIDES)
                .map(o -> o.what() + " " + o.own())
                .collect(Collectors.joining(", "));
        return Optional.of(Findings.of(
                "OWN_DATA",
                Severity.INFO,
                Owner.OURS,
                "files",
                overrides.stream().map(OwnFiles.Override::file).distinct().collect(Collectors.joining(", ")),
                "what",
                overrides.size() > MOST_OVERRIDES ? what + ", …" : what));
    }

    /** What the machine's own finding weighs here. */
    private Finding weighed(Case c, Finding f) {
        boolean slice = f.code().equals("MIG_SLICE")
                || f.code().equals("VGPU")
                || f.code().equals("SOFT_SLICE");
        if (slice && IdentityRules.disclosed(c)) {
            return Findings.weighing(f, Severity.INFO);
        }
        if (f.code().equals("NO_GPU") && !c.wantsGpu()) {
            return Findings.weighing(f, Severity.INFO);
        }
        if (f.code().matches("XID_\\d{1,4}")
                && !"before".equals(f.params().get("when"))
                && policy.isFatalXid(Integer.parseInt(f.code().substring(4)))) {
            return Findings.weighing(f, Severity.FAIL);
        }
        return f;
    }

    private List<Finding> software(Case c) {
        var software = c.evidence().fact("software");
        boolean unusable = c.wantsGpu()
                && Data.flag(software, "cudaAvailable").equals(Optional.of(false))
                && Data.text(software, "torch").isPresent();
        boolean told = c.evidence().findings().stream()
                .anyMatch(f -> f.severity() == Severity.FAIL
                        || f.code().equals("TORCH_CPU_ONLY")
                        || f.code().equals("NO_GPU"));
        return unusable && !told ? List.of(Findings.of("CUDA_UNUSABLE", Severity.FAIL, Owner.UNKNOWN)) : List.of();
    }
}
