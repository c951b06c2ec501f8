package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.engine.PeerJudge.Side;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Candidate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Candidates of one evaluation held against each other. */
class PeersTest {
    private static final String A100 = "A100-SXM4-80G";

    @Test
    void anOutlierIsAWarningWithBothFigures() {
        // Above its own bar, and yet behind what the same card reaches next door.
        StageResult slow =
                changed("b", side("a", A100, 270), side("b", A100, 246)).get(0);

        assertThat(slow.verdict()).isEqualTo(Verdict.WARN);
        assertThat(slow.reason())
                .isEqualTo("BF16 sustained 246 TFLOP/s, but the same card reaches 270 TFLOP/s elsewhere in this"
                        + " evaluation (a): 91 %.");
        assertThat(Texts.load().reason(slow, Locale.CHINESE))
                .contains("246")
                .contains("270")
                .contains("91 %");
    }

    @Test
    void theUsualSpreadIsNoOutlier() {
        assertThat(compare(side("a", A100, 272), side("b", A100, 258), side("c", A100, 266)))
                .isEmpty();
    }

    @Test
    void ofThreeTheOddOneIsTheOutlier() {
        Map<String, List<StageResult>> changed =
                compare(side("a", A100, 247), side("b", A100, 270), side("c", A100, 272));

        assertThat(changed).containsOnlyKeys("a");
    }

    @Test
    void anotherCardIsMarkedAndNotCompared() {
        Map<String, List<StageResult>> changed = compare(side("a", A100, 268), side("b", "A800-SXM4-80G", 244));

        assertThat(codes(changed, "a")).containsExactly(Peers.NOT_COMPARABLE);
        assertThat(codes(changed, "b")).containsExactly(Peers.NOT_COMPARABLE);
        assertThat(changed.get("a").get(0).findings())
                .extracting(Finding::message)
                .contains("Figures are not compared with b: A100-SXM4-80G here, A800-SXM4-80G there.");
        assertThat(changed.get("a").get(0).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void anotherSoftwareIsMarkedAndNotCompared() {
        Map<String, List<StageResult>> changed = compare(
                side("a", compute(270, "2.11.0+cu130"), A100, false),
                side("b", compute(246, "2.6.0+cu124"), A100, false));

        assertThat(codes(changed, "b")).containsExactly(Peers.NOT_COMPARABLE);
        assertThat(changed.get("b").get(0).findings())
                .extracting(Finding::message)
                .contains("Figures are not compared with a: torch 2.6, CUDA 12 here, torch 2.11, CUDA 13 there.");
    }

    @Test
    void aPatchOfTheSameSoftwareIsCompared() {
        Map<String, List<StageResult>> changed = compare(
                side("a", compute(270, "2.6.1+cu126"), A100, false),
                side("b", compute(246, "2.6.0+cu124"), A100, false));

        assertThat(codes(changed, "b")).containsExactly(Peers.OUTLIER);
    }

    @Test
    void anotherMethodAndASimulatedMachineAreNotCompared() {
        Machine other = compute(246, "2.6.0+cu124").change("matmul_bf16_sustained", e -> e.put("method", "matmul/9"));

        assertThat(codes(compare(side("a", A100, 270), side("b", other, A100, false)), "b"))
                .doesNotContain(Peers.OUTLIER);
        assertThat(codes(compare(side("a", A100, 270), side("b", compute(246, "2.6.0+cu124"), A100, true)), "b"))
                .containsExactly(Peers.NOT_COMPARABLE);
    }

    @Test
    void aCardThatWasNotConfirmedIsComparedWithNone() {
        Machine unclear = Machine.environment(A100, 1).drop("pciDeviceId").set("name", "Graphics Device");
        Side odd = new Side(
                candidate("b", A100),
                false,
                List.of(unclear.judge(), compute(246, "2.6.0+cu124").judge()));

        assertThat(codes(compare(side("a", A100, 270), odd), "b")).containsExactly(Peers.NOT_COMPARABLE);
    }

    @Test
    void comparingAgainChangesNothing() {
        Side a = side("a", A100, 270);
        Side b = side("b", A100, 246);
        StageResult once = changed("b", a, b).get(0);

        Side after = new Side(b.candidate(), false, List.of(b.results().get(0), once));

        assertThat(compare(a, after)).isEmpty();
    }

    private static List<StageResult> changed(String candidate, Side... sides) {
        return compare(sides).getOrDefault(candidate, List.of());
    }

    private static Map<String, List<StageResult>> compare(Side... sides) {
        return Machine.JUDGE.peers().compare(List.of(sides));
    }

    private static List<String> codes(Map<String, List<StageResult>> changed, String candidate) {
        return changed.getOrDefault(candidate, List.of()).stream()
                .flatMap(r -> r.findings().stream())
                .map(Finding::code)
                .filter(c -> c.startsWith("PEER"))
                .toList();
    }

    private static Side side(String name, String gpu, double bf16) {
        return side(name, compute(bf16, "2.6.0+cu124"), gpu, false);
    }

    private static Side side(String name, Machine compute, String gpu, boolean simulated) {
        return new Side(
                candidate(name, gpu),
                simulated,
                Stream.of(Machine.environment(gpu, 1), compute)
                        .map(Machine::judge)
                        .toList());
    }

    private static Machine compute(double bf16, String torch) {
        return Machine.compute(A100, 1, bf16, 1700, 25.9)
                .with(m -> m.events.forEach(e -> e.computeIfPresent("tool", (k, tool) -> "torch " + torch)));
    }

    private static Candidate candidate(String name, String gpu) {
        Candidate any = Machine.compute().candidate();
        return new Candidate(
                name,
                any.provider(),
                Optional.empty(),
                gpu,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty());
    }
}
