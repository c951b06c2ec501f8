package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulated vendors' own figures: the healthy one passes everywhere, the discount one fails its baseline. */
class SimulatedMachineTest {
    private static final String CARD = "A100-SXM4-80G";

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void theSteadyVendorPasses(int gpus) throws IOException {
        for (StageName stage : EnumSet.complementOf(EnumSet.of(StageName.ENVIRONMENT, StageName.NETWORK))) {
            StageResult result = machine("base", stage, gpus).judge();

            assertThat(result.verdict())
                    .as(stage + " on " + gpus + ": " + result.reason() + " " + result.findings())
                    .isEqualTo(stage == StageName.INTERCONNECT && gpus == 1 ? Verdict.SKIPPED : Verdict.PASS);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = StageName.class,
            names = {"COMPUTE", "STORAGE"})
    void theDiscountVendorShowsItsFaults(StageName stage) throws IOException {
        StageResult result = machine("discount", stage, 1).judge();

        if (stage == StageName.COMPUTE) {
            assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
            assertThat(result.reason()).isEqualTo("BF16 sustained 171 of 265 TFLOP/s = 65 %, below 80 %");
        } else {
            assertThat(result.verdict()).isIn(Verdict.WARN, Verdict.FAIL);
            assertThat(result.reason()).contains("0.18");
        }
    }

    private static Machine machine(String profile, StageName stage, int gpus) throws IOException {
        JsonNode base = read("base");
        JsonNode own = read(profile);
        Machine machine = Machine.stage(stage, CARD, gpus);
        if (stage == StageName.STORAGE) {
            JsonNode fact = base.at("/machine/storage").deepCopy();
            machine.fact(
                    "storage",
                    new ObjectMapper()
                            .readerForUpdating(fact)
                            .readValue(
                                    own.at("/machine/storage").isMissingNode()
                                            ? base.at("/machine/storage")
                                            : own.at("/machine/storage")));
        }
        base.path("stages").path(stage.word()).path("measurements").properties().forEach(entry -> {
            JsonNode figure = entry.getValue();
            if (gpus < figure.path("least").asInt(0)
                    || gpus > figure.path("most").asInt(1024)) {
                return;
            }
            JsonNode changed = own.at("/stages/" + stage.word() + "/measurements/" + entry.getKey());
            double value = changed.path("value").asDouble(figure.path("value").asDouble());
            value = figure.path("byGpus").path(Integer.toString(gpus)).asDouble(value);
            String name = figure.path("name").asText(entry.getKey());
            int cards = figure.path("perGpu").asBoolean() ? gpus : 1;
            for (int i = 0; i < cards; i++) {
                machine.measure(
                        name,
                        value,
                        figure.path("unit").asText(),
                        figure.path("method").asText(name + "/1"),
                        cards > 1 ? i : -1);
                figure.path("attrs")
                        .properties()
                        .forEach(a -> machine.attrs(a.getKey(), a.getValue().asText()));
            }
        });
        return machine;
    }

    private static JsonNode read(String profile) throws IOException {
        try (InputStream in = SimulatedMachineTest.class.getResourceAsStream(
                "/dev/seatrial/simulator/profiles/" + profile + ".json")) {
            return new ObjectMapper().readTree(in);
        }
    }
}
