package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.app.SweepRun;
import dev.seatrial.app.config.ProblemsException;
import dev.seatrial.app.config.Settings;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The user's own references and policy over the program's. */
class OwnFilesTest {
    private static final String REFERENCES = """
            gpus:
              - {name: Z9000, pciIds: ["abcd"], sm: 10, memoryGb: 8, pcie: 4, source: own}
            references:
              - {gpus: [A100 80GB SXM], values: {matmul_bf16_sustained: 300}, source: our fleet, date: "2026-10"}
              - {gpus: [Z9000], values: {memory_copy: 90}}
            """;
    private static final String POLICY = """
            metrics:
              - {match: soak_drift, rule: limit, warn: 1, fail: 2}
            machine: {spreadPass: 0.99, spreadFail: 0.98}
            required:
              network: {any: [network_upload]}
            learned: {strongest: fail}
            """;

    @TempDir
    Path home;

    @Test
    void ownFiguresHideTheShippedOnesAndTellWhereTheyComeFrom() throws IOException {
        DefaultJudge judge = DefaultJudge.load(own(REFERENCES, ""));

        StageResult result = judge(judge, Machine.compute());

        assertThat(result.reason()).isEqualTo("BF16 sustained 268 of 300 TFLOP/s = 89 %, below 92 %");
        assertThat(result.measurements().get(0).reference().orElseThrow().source())
                .isEqualTo("our fleet (references.yaml)");
        assertThat(GpuCatalogue.load(own(REFERENCES, "")).isKnown("z9000")).isTrue();
    }

    @Test
    void theReportNamesWhatWasJudgedByOwnData() throws IOException {
        StageResult result = judge(DefaultJudge.load(own(REFERENCES, POLICY)), Machine.environment("A100-SXM4-80G", 1));

        Finding told = result.findings().stream()
                .filter(f -> f.code().equals("OWN_DATA"))
                .findFirst()
                .orElseThrow();
        assertThat(told.message())
                .contains("references.yaml", "policy.yaml", "A100-SXM4-80G matmul_bf16_sustained 300", "soak_drift");
        assertThat(Texts.load().finding(told, Locale.CHINESE).message()).contains("自备数据", "policy.yaml");
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(judge(DefaultJudge.load(), Machine.environment("A100-SXM4-80G", 1))
                        .findings())
                .noneMatch(f -> f.code().equals("OWN_DATA"));
    }

    @Test
    void anOwnPolicyGoesBeforeTheShippedRulesAndThresholds() throws IOException {
        DefaultJudge judge = DefaultJudge.load(own("", POLICY));

        assertThat(judge(judge, Machine.soak("A100-SXM4-80G").value("soak_drift", 2.5))
                        .verdict())
                .isEqualTo(Verdict.FAIL);
        Machine spread = Machine.compute("A100-SXM4-80G", 8, 268, 1700, 25.9).change("memory_copy", e -> {
            if ("GPU-5".equals(e.get("gpu"))) {
                e.put("value", 1660.0);
            }
        });
        assertThat(judge(judge, spread).verdict()).isEqualTo(Verdict.FAIL);
        assertThat(spread.judge().verdict()).isEqualTo(Verdict.PASS);
        Machine network = Machine.stage(dev.seatrial.domain.plan.StageName.NETWORK, "A100-SXM4-80G", 1)
                .measure("network_download", 95, "MB/s", "http-get/1", -1);
        assertThat(judge(judge, network).verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(Policy.load(own("", POLICY)).learnedFails()).isTrue();
        assertThat(Policy.load().learnedFails()).isFalse();
    }

    @Test
    void everyOverrideIsToldWithWhatItReplaces() throws IOException {
        assertThat(own(REFERENCES, POLICY).overrides())
                .extracting(OwnFiles.Override::what, OwnFiles.Override::own, OwnFiles.Override::shipped)
                .contains(
                        org.assertj.core.groups.Tuple.tuple("A100-SXM4-80G matmul_bf16_sustained", "300", "265"),
                        org.assertj.core.groups.Tuple.tuple("Z9000 memory_copy", "90", ""),
                        org.assertj.core.groups.Tuple.tuple("soak_drift", "limit", "limit"),
                        org.assertj.core.groups.Tuple.tuple("machine.spreadPass", "0.99", "0.95"),
                        org.assertj.core.groups.Tuple.tuple("learned.strongest", "fail", "warn"));
        assertThat(OwnFiles.NONE.overrides()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            references | references: [{gpus: [A100-SXM4-80G], values: {x: -1}}]     | 1:50 | must be more than 0
            references | references: [{values: {x: 1}}]                             | 1:14 | gpus: is missing
            references | references: [{gpus: [A100-SXM9], values: {x: 1}}]          | 1:22 | no GPU A100-SXM9 is known
            references | gpus: [{name: X}]                                          | 1:8  | memoryGb: is missing
            references | gpus: [{name: X, memoryGb: 8, pciIds: [2684]}]             | 1:40 | must be text, not a number
            references | referenes: []                                                  | 1:1  | did you mean references?
            references | a: [unclosed                                               | 1:13 | not valid YAML
            policy     | metrics: [{match: '(', rule: limit}]                       | 1:19 | is no pattern
            policy     | metrics: [{match: a, rule: nonsense}]                      | 1:28 | is not possible here
            policy     | machine: {spreadpass: 0.9}                                 | 1:11 | did you mean spreadPass?
            policy     | learned: {strongest: anything}                             | 1:22 | one of warn, fail
            """)
    void aMistakeIsToldWithItsPlace(String file, String content, String place, String words) throws IOException {
        Files.writeString(home.resolve(file + ".yaml"), content);

        assertThatThrownBy(() -> OwnFiles.read(settings(), Locale.ENGLISH))
                .isInstanceOf(ProblemsException.class)
                .hasMessageContaining(file + ".yaml:" + place + ": ")
                .hasMessageContaining(words);
        assertThatThrownBy(() -> OwnFiles.read(settings(), Locale.CHINESE))
                .hasMessageContaining(file + ".yaml:" + place);
    }

    @Test
    void theMistakesOfBothFilesAreToldAtOnce() throws IOException {
        Files.writeString(home.resolve("references.yaml"), "refs: []");
        Files.writeString(home.resolve("policy.yaml"), "metric: []");

        assertThatThrownBy(() -> OwnFiles.read(settings(), Locale.ENGLISH))
                .hasMessageContaining("references.yaml:1:1")
                .hasMessageContaining("policy.yaml:1:1");
    }

    @Test
    void theConfigurationMayNameTheFiles() throws IOException {
        Path config =
                Files.writeString(home.resolve("config.yaml"), "references: ours/refs.yaml\npolicy: strict.yaml\n");
        Files.createDirectories(home.resolve("ours"));
        Files.writeString(home.resolve("ours/refs.yaml"), REFERENCES);
        Files.writeString(home.resolve("strict.yaml"), POLICY);
        Settings settings = new dev.seatrial.app.config.SettingsLoader(
                        Map.of("SEATRIAL_HOME", home.resolve("data").toString()), home, Map.of(), Locale.ENGLISH)
                .load(java.util.Optional.of(config));

        assertThat(OwnFiles.read(settings, Locale.ENGLISH).overrides())
                .extracting(OwnFiles.Override::file)
                .contains(
                        home.resolve("ours/refs.yaml").toString(),
                        home.resolve("strict.yaml").toString());
    }

    @Test
    void aFileThatTheConfigurationNamesMustBeThere() throws IOException {
        Path config = Files.writeString(home.resolve("config.yaml"), "policy: nowhere.yaml\n");

        assertThatThrownBy(() -> new dev.seatrial.app.config.SettingsLoader(
                                Map.of("SEATRIAL_HOME", home.resolve("data").toString()),
                                home,
                                Map.of(),
                                Locale.ENGLISH)
                        .load(java.util.Optional.of(config)))
                .hasMessageContaining("config.yaml:1:9: policy: no such file: " + home.resolve("nowhere.yaml"));
    }

    @Test
    void machinesAreSweptWhateverStandsInTheseFiles() throws IOException {
        Files.writeString(home.resolve("references.yaml"), "a: [unclosed");

        try (SweepRun sweep = SweepRun.open(settings(), InstantSource.system())) {
            assertThat(sweep.accounts()).isNotNull();
        }
    }

    private OwnFiles own(String references, String policy) throws IOException {
        Files.writeString(home.resolve("references.yaml"), references);
        Files.writeString(home.resolve("policy.yaml"), policy);
        return OwnFiles.read(settings(), Locale.ENGLISH);
    }

    private Settings settings() {
        return new Settings(home, home.resolve("config.yaml"), Map.of());
    }

    private static StageResult judge(DefaultJudge judge, Machine machine) {
        return judge.judge(machine.evidence(machine.lines()));
    }
}
