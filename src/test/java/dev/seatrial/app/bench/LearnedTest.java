package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** References learned from earlier evaluations in this ledger. */
class LearnedTest {
    @Test
    void enoughMachinesTakeThePlaceOfACalculatedReference() {
        Machine machine = Machine.compute("L20", 1, 96, 735, 25);

        assertThat(machine.judge().verdict()).as("94 %% of the calculated 102").isEqualTo(Verdict.PASS);
        Measurement bf16 = judge(machine, past(8, 110)).measurements().get(0);

        assertThat(bf16.verdict()).isEqualTo(Verdict.WARN);
        assertThat(bf16.reference()).hasValueSatisfying(r -> {
            assertThat(r.quality()).isEqualTo("measured-here");
            assertThat(r.value()).isBetween(109.0, 111.0);
            assertThat(r.source()).isEqualTo("8 earlier machines tried here");
            assertThat(r.date()).isEqualTo("2026-11-08");
        });
    }

    @Test
    void itWarnsAtMostWhateverTheFigure() {
        StageResult result = judge(Machine.compute("L20", 1, 20, 735, 25), past(8, 110));

        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
        assertThat(result.reason()).contains("what such cards reached here before");
        assertThat(Texts.load().reason(result, Locale.CHINESE)).contains("此前同型号");
    }

    @Test
    void tooFewMachinesTeachNothing() {
        assertThat(reference(Machine.compute("L20", 1, 96, 735, 25), past(7, 110))
                        .quality())
                .isEqualTo("derived");
    }

    @Test
    void eightFiguresOfOneMachineAreOne() {
        List<Past> one = past(8, 110).stream()
                .map(p -> new Past("lease-1", p.metric(), p.method(), p.stack(), p.value(), p.at()))
                .toList();

        assertThat(reference(Machine.compute("L20", 1, 96, 735, 25), one).quality())
                .isEqualTo("derived");
    }

    @Test
    void anotherMethodOrSoftwareTeachesNothing() {
        List<Past> method = past(8, 110).stream()
                .map(p -> new Past(p.lease(), p.metric(), "matmul/0", p.stack(), p.value(), p.at()))
                .toList();
        List<Past> stack = past(8, 110).stream()
                .map(p -> new Past(p.lease(), p.metric(), p.method(), "torch 1.13", p.value(), p.at()))
                .toList();

        for (List<Past> past : List.of(method, stack)) {
            assertThat(reference(Machine.compute("L20", 1, 96, 735, 25), past).quality())
                    .isEqualTo("derived");
        }
    }

    @Test
    void aMeasuredReferenceStays() {
        assertThat(reference(Machine.compute(), past(8, 110)).quality()).isEqualTo("measured");
    }

    @Test
    void machinesThatDifferMuchExcuseMoreButNeverMoreThanThePolicy() {
        List<Past> wide = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            wide.add(new Past("lease-" + i, "matmul_bf16_sustained", "matmul/1", "torch", 60 + 10 * i, Instant.EPOCH));
        }

        assertThat(reference(Machine.compute("L20", 1, 96, 735, 25), wide).tolerance())
                .isEqualTo(0.20, org.assertj.core.data.Offset.offset(1e-9));
    }

    private static Reference reference(Machine machine, List<Past> past) {
        return judge(machine, past).measurements().get(0).reference().orElseThrow();
    }

    private static StageResult judge(Machine machine, List<Past> past) {
        StageEvidence e = machine.evidence(machine.lines());
        return Machine.JUDGE.judge(new StageEvidence(e.plan(), e.candidate(), e.run(), e.events(), past));
    }

    private static List<Past> past(int machines, double around) {
        List<Past> past = new ArrayList<>();
        for (int i = 1; i <= machines; i++) {
            past.add(new Past(
                    "lease-" + i,
                    "matmul_bf16_sustained",
                    "matmul/1",
                    "torch",
                    around + (i % 3 - 1) * 0.4,
                    Instant.parse("2026-11-0" + i + "T10:00:00Z")));
        }
        return past;
    }
}
