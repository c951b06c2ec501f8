package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Plan;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What earlier evaluations in the ledger teach, and what they do not. */
class LedgerHistoryTest {
    private static final Instant NOW = Instant.parse("2026-11-30T00:00:00Z");
    private final Map<String, List<StageResult>> results = new LinkedHashMap<>();
    private final Map<String, Boolean> simulated = new LinkedHashMap<>();
    private Machine now = Machine.compute("L20", 1, 96, 735, 25);

    @Test
    void figuresOfConfirmedMachinesAreExperience() {
        earlier("e1", false, Machine.environment("L20", 1), Machine.compute("L20", 1, 110, 735, 25));
        simulated.put("now", false);

        assertThat(of("now"))
                .filteredOn(p -> p.metric().equals("matmul_bf16_sustained"))
                .singleElement()
                .satisfies(p -> {
                    assertThat(p.value()).isEqualTo(110);
                    assertThat(p.stack()).isEqualTo("torch");
                    assertThat(p.lease()).isEqualTo("lease-1");
                });
    }

    @Test
    void eightMachinesLaterTheCardHasAReferenceOfItsOwn() {
        for (int i = 1; i <= 8; i++) {
            earlier(
                    "e" + i,
                    false,
                    Machine.environment("L20", 1).on("lease-" + i, 1),
                    Machine.compute("L20", 1, 110, 735, 25).on("lease-" + i, 1));
        }
        simulated.put("now", false);
        StageEvidence e = now.evidence(now.lines());
        StageEvidence with = new StageEvidence(e.plan(), e.candidate(), e.run(), e.events(), of("now"));

        assertThat(Machine.JUDGE
                        .judge(with)
                        .measurements()
                        .get(0)
                        .reference()
                        .orElseThrow()
                        .quality())
                .isEqualTo("measured-here");
    }

    @Test
    void whatIsSimulatedUnconfirmedFailedOrOfAnotherCardTeachesNothing() {
        earlier("simulated", true, Machine.environment("L20", 1), Machine.compute("L20", 1, 110, 735, 25));
        earlier("unconfirmed", false, Machine.compute("L20", 1, 110, 735, 25));
        earlier(
                "failed",
                false,
                Machine.environment("L20", 1),
                Machine.compute("L20", 1, 110, 735, 25).finding("WRONG_RESULT", "fail", "vendor"));
        simulated.put("now", false);
        assertThat(of("now")).isEmpty();

        now = Machine.compute();
        earlier("other", false, Machine.environment("A100-SXM4-80G", 1), Machine.compute());
        now = Machine.compute("L20", 1, 96, 735, 25);
        assertThat(of("now")).isEmpty();
    }

    @Test
    void aSimulatedMachineLearnsNothingFromRealOnes() {
        earlier("e1", false, Machine.environment("L20", 1), Machine.compute("L20", 1, 110, 735, 25));
        simulated.put("now", true);

        assertThat(of("now")).isEmpty();
    }

    private List<Past> of(String evaluation) {
        return new LedgerHistory(ledger(), this::plan).of(evaluation, now.candidate());
    }

    private Plan plan(String evaluation) {
        return evaluation.equals("other") ? Machine.compute().plan() : now.plan();
    }

    private void earlier(String evaluation, boolean ofSimulator, Machine... machines) {
        results.put(evaluation, Stream.of(machines).map(Machine::judge).toList());
        simulated.put(evaluation, ofSimulator);
    }

    private Ledger ledger() {
        return (Ledger) Proxy.newProxyInstance(
                Ledger.class.getClassLoader(), new Class<?>[] {Ledger.class}, (proxy, method, arguments) -> {
                    String id = String.valueOf(arguments[0]);
                    return switch (method.getName()) {
                        case "evaluations" ->
                            new ArrayList<>(simulated.keySet())
                                    .stream().map(LedgerHistoryTest::evaluation).toList();
                        case "trials" -> simulated.containsKey(id) ? List.of(trial(id, simulated.get(id))) : List.of();
                        case "stageResults" -> results.getOrDefault(id, List.of());
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private static EvaluationRow evaluation(String id) {
        return new EvaluationRow(
                id, "test", "", "{}", EvaluationStatus.COMPLETED, false, "", NOW, Optional.of(NOW), "");
    }

    private static TrialRow trial(String evaluation, boolean simulated) {
        return new TrialRow(
                evaluation,
                "candidate",
                "sim",
                0,
                simulated,
                "done",
                "",
                "",
                true,
                0,
                Optional.empty(),
                "",
                Optional.empty(),
                Coverage.NOTHING);
    }
}
