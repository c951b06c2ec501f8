package dev.seatrial.app.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Contract;
import dev.seatrial.domain.plan.MultiPhase;
import dev.seatrial.domain.plan.OnFail;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.StatedPrice;
import dev.seatrial.domain.plan.TaskSpec;
import dev.seatrial.domain.plan.WorkTime;
import dev.seatrial.provider.BillingIncrement;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlPlanLoaderTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final String SMALL = """
            plan: small
            gpu: A100-SXM4-80G
            preset: quick
            budget: { cap: 20, currency: CNY }
            candidates:
              - { provider: sim-steady }
            """;

    @TempDir
    Path dir;

    private Plan load(String yaml) throws PlanException {
        return load(yaml, Locale.ENGLISH);
    }

    private Plan load(String yaml, Locale locale) throws PlanException {
        return loader(locale).load(write(yaml.getBytes(StandardCharsets.UTF_8)));
    }

    private static PlanLoader loader(Locale locale) {
        return new YamlPlanLoader(InstantSource.fixed(NOW), ZoneId.of("UTC"), GpuCatalogue.load(), locale);
    }

    private Path write(byte[] bytes) {
        try {
            return Files.write(dir.resolve("plan.yaml"), bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every problem of a plan, without the directory. */
    private List<String> problems(String yaml) {
        return problems(yaml.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> problems(byte[] yaml) {
        Path file = write(yaml);
        PlanException e = catchThrowableOfType(
                PlanException.class, () -> loader(Locale.ENGLISH).load(file));
        assertThat(e).as("must be refused").isNotNull();
        return e.errors().stream().map(x -> x.toString().replace(dir + "/", "")).toList();
    }

    @Test
    void theDesignsPlanIsRead() throws Exception {
        Files.createDirectory(dir.resolve("smoke"));
        Files.createDirectory(dir.resolve("sample-data"));
        Plan plan = load("""
                plan: a100-shortlist
                gpu: A100-SXM4-80G                 # may be set per candidate
                preset: standard
                budget: { cap: 900, currency: CNY, fx: { USD: 7.10 } }
                candidates:
                  - { provider: aliyun-beijing, region: cn-beijing, cap: 400 }
                  - { provider: lambda, image: lambda-stack-24-04, gpu: nvidia a800 sxm4 80GB }
                  - provider: handed-over
                    price: { amount: 28.00, currency: USD, per: machine-hour, increment: hour, minimum: 1h }
                    promised: { cpu: 64, memory: 512G, disk_read: 3GB/s, nvlink: 12 }
                    contract: { month: 25000, months: 3, deposit: 25000, penalty: 2 months, tax: included }
                phases:
                  single: { stages: [environment, compute, storage, network, task] }
                  multi:  { gpus: [8, 2], stages: [interconnect, compute, stability], escalate: approve, approveWithin: 90m }
                stability: { duration: 2h }
                task:
                  upload: ./smoke
                  data: ./sample-data
                  requires: { torch: ">=2.4", cuda: ">=12.1", driver: 550.54 }
                  command: python train.py --steps 50
                  metrics: { tokens_per_s: { regex: 'tok/s=([0-9.]+)', better: higher } }
                  expect:  { tokens_per_s: { atLeast: 3000 } }
                limits: { provisioning: 20m, evaluation: 10h, until: 20:30, zone: Asia/Shanghai, stages: { compute: 20s } }
                accept: [cap-not-guaranteed-offline]
                """);

        assertThat(plan.name()).isEqualTo("a100-shortlist");
        assertThat(plan.budget().cap()).isEqualTo(BigMoney.parse("CNY 900"));
        assertThat(plan.budget().fx()).isEqualTo(Map.of("USD", new BigDecimal("7.1")));
        assertThat(plan.candidates())
                .extracting(Candidate::name)
                .containsExactly("aliyun-beijing", "lambda", "handed-over");
        assertThat(plan.candidates())
                .extracting(Candidate::gpu)
                .containsExactly("A100-SXM4-80G", "A800-SXM4-80G", "A100-SXM4-80G");
        assertThat(plan.candidates().get(0).cap()).contains(BigMoney.parse("CNY 400"));
        Candidate handedOver = plan.candidates().get(2);
        assertThat(handedOver.price())
                .contains(new StatedPrice(BigMoney.parse("USD 28"), BillingIncrement.HOUR, Duration.ofHours(1)));
        assertThat(handedOver.promised())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("cpu", "64", "memory", "512G", "disk_read", "3GB/s", "nvlink", "12"));
        assertThat(handedOver.contract())
                .contains(new Contract(
                        BigMoney.parse("CNY 25000"),
                        3,
                        Optional.of(BigMoney.parse("CNY 25000")),
                        Optional.of("2 months"),
                        Optional.of("included")));
        assertThat(plan.singleStages())
                .containsExactly(
                        StageName.ENVIRONMENT, StageName.COMPUTE, StageName.STORAGE, StageName.NETWORK, StageName.TASK);
        assertThat(plan.multi())
                .contains(new MultiPhase(
                        List.of(2, 8),
                        List.of(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.INTERCONNECT, StageName.STABILITY),
                        true));
        assertThat(plan.approvalTimeout()).isEqualTo(Duration.ofMinutes(90));
        assertThat(plan.stability()).isEqualTo(Duration.ofHours(2));
        TaskSpec task = plan.task().orElseThrow();
        assertThat(task.upload()).contains(dir.resolve("smoke").toString());
        assertThat(task.requires()).containsEntry("driver", "550.54").containsEntry("torch", ">=2.4");
        assertThat(task.metrics()).containsEntry("tokens_per_s", new TaskSpec.Metric("tok/s=([0-9.]+)", "", true));
        assertThat(task.expect())
                .containsEntry(
                        "tokens_per_s",
                        new TaskSpec.Expectation(Optional.of(new BigDecimal("3000")), Optional.empty()));
        assertThat(plan.limits().until()).contains(Instant.parse("2026-03-01T12:30:00Z"));
        assertThat(plan.limits().stages())
                .containsEntry(StageName.COMPUTE, Duration.ofSeconds(20))
                .containsEntry(StageName.ENVIRONMENT, Duration.ofMinutes(3))
                .containsEntry(StageName.STABILITY, Duration.ofMinutes(130))
                .containsEntry(StageName.TASK, Duration.ofMinutes(30));
        assertThat(plan.accept()).isEqualTo(Set.of(Plan.ACCEPT_OFFLINE));
        assertThat(plan.hash()).matches("[0-9a-f]{64}");
    }

    @Test
    void presetsFillInWhatIsNotSaid() throws Exception {
        Plan quick = load(SMALL);
        assertThat(quick.singleStages())
                .containsExactly(StageName.ENVIRONMENT, StageName.COMPUTE, StageName.STORAGE, StageName.NETWORK);
        assertThat(quick.multi()).isEmpty();
        assertThat(quick.limits().provisioning()).isEqualTo(Duration.ofMinutes(20));

        Plan standard = load(SMALL.replace("preset: quick\n", ""));
        assertThat(standard.preset()).isEqualTo("standard");
        assertThat(standard.multi().orElseThrow().gpus()).containsExactly(2, 8);
        assertThat(standard.multi().orElseThrow().stages()).contains(StageName.INTERCONNECT, StageName.STABILITY);
        assertThat(standard.singleStages()).doesNotContain(StageName.STABILITY);

        Plan alone = load(SMALL.replace("quick", "standard") + "phases: { multi: none }\n");
        assertThat(alone.multi()).isEmpty();
        assertThat(alone.singleStages()).contains(StageName.STABILITY);

        Plan acceptance = load(SMALL.replace("quick", "acceptance") + "task: { command: ./run.sh }\n");
        assertThat(acceptance.stability()).isEqualTo(Duration.ofHours(4));
        assertThat(acceptance.singleStages()).contains(StageName.TASK);
    }

    @Test
    void everyStageThatRunsHasALimit() throws Exception {
        Plan plan = load(SMALL.replace("quick", "acceptance") + "task: { command: ./run.sh, limit: 45m }\n");
        for (StageName stage : StageName.values()) {
            assertThat(WorkTime.limit(plan, stage)).isPositive();
        }
        assertThat(WorkTime.limit(plan, StageName.TASK)).isEqualTo(Duration.ofMinutes(45));
    }

    @Test
    void machinesWithoutGpuNeedNoSecondPhase() throws Exception {
        Plan plan = load(SMALL.replace("A100-SXM4-80G", "none").replace("quick", "standard"));
        assertThat(plan.candidates().get(0).wantsGpu()).isFalse();
        assertThat(plan.multi()).isEmpty();
        assertThat(plan.singleStages()).doesNotContain(StageName.STABILITY);
    }

    @Test
    void aPricePerGpuCountsTheLargestMachine() throws Exception {
        String price = "price: { amount: 2.5, currency: CNY, per: gpu-hour }";
        Plan plan = load(SMALL.replace("sim-steady", "sim-steady, " + price)
                + "phases: { multi: { gpus: [4], stages: [interconnect] } }\n");
        assertThat(plan.candidates().get(0).price().orElseThrow().hourly()).isEqualTo(BigMoney.parse("CNY 10.0"));
    }

    @Test
    void untilIsTheNextTimeTheClockShowsIt() throws Exception {
        assertThat(load(SMALL + "limits: { until: '11:59' }\n").limits().until())
                .contains(Instant.parse("2026-03-02T11:59:00Z"));
        assertThat(load(SMALL + "limits: { until: '12:01' }\n").limits().until())
                .contains(Instant.parse("2026-03-01T12:01:00Z"));
    }

    @Test
    void theSamePlanHasTheSameHashAnotherDayAndHoweverItIsWritten() throws Exception {
        Plan plan = load(SMALL + "limits: { until: '11:59' }\n");
        Plan other = new YamlPlanLoader(
                        InstantSource.fixed(NOW.plus(Duration.ofDays(3))),
                        ZoneId.of("UTC"),
                        GpuCatalogue.load(),
                        Locale.ENGLISH)
                .load(write(("limits: {until: '11:59'}\n" + SMALL.replace("cap: 20", "cap: 20.00"))
                        .getBytes(StandardCharsets.UTF_8)));
        assertThat(other.hash()).isEqualTo(plan.hash());
        assertThat(load(SMALL.replace("cap: 20", "cap: 21")).hash()).isNotEqualTo(plan.hash());
    }

    @Test
    void aStoredPlanComesBackTheSame() throws Exception {
        Plan plan = load(
                SMALL + "accept: [cap-not-guaranteed-offline]\ntask: { command: x, requires: { torch: '>=2' } }\n");
        String json = PlanJson.write(plan);
        assertThat(PlanJson.read(json)).isEqualTo(plan);
        assertThat(PlanJson.write(PlanJson.read(json))).isEqualTo(json);
        assertThat(PlanJson.hash(PlanJson.read(json))).isEqualTo(plan.hash());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            preset: quick | presets: quick | plan.yaml:3:1: presets: unknown field (did you mean preset?)
            preset: quick | preset: fast | plan.yaml:3:9: preset: "fast" is not possible here (one of quick, standard, acceptance)
            cap: 20 | cap: -5 | plan.yaml:4:16: budget.cap: must be more than 0, not -5
            cap: 20 | cap: lots | plan.yaml:4:16: budget.cap: must be a number, not text (for example 900)
            cap: 20, | '' | plan.yaml:4:1: budget.cap: is missing (for example cap: 900)
            cap: 20 | cap: 1.2345678 | plan.yaml:4:16: budget.cap: has more than six decimals
            currency: CNY | currency: RMB | plan.yaml:4:30: budget.currency: no currency is called RMB (did you mean CNY?)
            currency: CNY | currency: CNY, fx: { CNY: 1 } | plan.yaml:4:46: budget.fx.CNY: CNY is the plan's own currency (remove this rate)
            sim-steady | sim-steady, price: { amount: 2, currency: USD, per: machine-hour } | plan.yaml:6:59: candidates[0].price.currency: the plan has no rate from USD to CNY (add the price of one USD in CNY under budget.fx)
            sim-steady | sim-steady, price: { amount: 2, currency: CNY } | plan.yaml:6:29: candidates[0].price.per: is missing (for example per: machine-hour)
            A100-SXM4-80G | A100-SXM4-800G | plan.yaml:2:6: gpu: no GPU is known as A100-SXM4-800G (did you mean A100-SXM4-80G, A100-SXM4-40G, A800-SXM4-80G?)
            gpu: A100-SXM4-80G | '' | plan.yaml:6:5: candidates[0]: no GPU is named (add gpu here or at the top, or gpu: none for machines tried without one)
            provider: sim-steady | region: x | plan.yaml:6:5: candidates[0].provider: is missing (for example provider: sim-steady)
            provider: sim-steady | provider: Sim Steady | plan.yaml:6:17: candidates[0].provider: "Sim Steady" has the wrong form (for example sim-steady)
            plan: small | plan: | plan.yaml:1:6: plan: has no value (for example a100-shortlist)
            preset: quick | limits: { provisioning: 20 } | plan.yaml:3:25: limits.provisioning: must be text, not a number (for example 90s, 20m, 1h30m)
            preset: quick | limits: { provisioning: 20min } | plan.yaml:3:25: limits.provisioning: "20min" has the wrong form (for example 90s, 20m, 1h30m)
            preset: quick | limits: { provisioning: 0s } | plan.yaml:3:25: limits.provisioning: must be more than 0s and at most 720h
            preset: quick | limits: { until: '08:30', zone: Asia/Shangai } | plan.yaml:3:33: limits.zone: no time zone is called Asia/Shangai (for example Asia/Shanghai or UTC)
            preset: quick | phases: { multi: { gpus: [1] } } | plan.yaml:3:27: phases.multi.gpus[0]: must be 2 or more, not 1
            preset: quick | phases: { single: { stages: [computer] } } | plan.yaml:3:30: phases.single.stages[0]: "computer" is not possible here (did you mean compute?)
            preset: quick | phases: { single: { stages: [interconnect] } } | plan.yaml:3:29: phases.single.stages: one GPU has nothing to be connected with (move interconnect to phases.multi.stages)
            preset: quick | task: { command: x, upload: ./nothing } | plan.yaml:3:29: task.upload: there is no nothing (relative paths are seen from the plan's own directory)
            preset: quick | task: { command: x, metrics: { a: { regex: '([0-9' } } } | plan.yaml:3:44: task.metrics.a.regex: not a regular expression: Unclosed character class
            preset: quick | expect: { matmul_bf16_sustaind: { atLeast: 1 } } | plan.yaml:3:33: expect.matmul_bf16_sustaind: no metric is called matmul_bf16_sustaind (did you mean matmul_bf16_sustained?)
            preset: quick | expect: { memory_copy: { atLeast: 2, atMost: 1 } } | plan.yaml:3:24: expect.memory_copy: atLeast is more than atMost
            preset: quick | task: { command: x, metrics: { loss: { regex: '([0-9])' } }, expect: { los: { atMost: 1 } } } | plan.yaml:3:77: task.expect.los: no metric is called los (did you mean loss?)
            preset: quick | accept: [everything] | plan.yaml:3:10: accept[0]: "everything" is not possible here (one of cap-not-guaranteed-offline)
            """)
    void aWrongPlanIsRefusedWithPlaceAndRemedy(String part, String wrong, String expected) {
        assertThat(problems(SMALL.replace(part, wrong))).contains(expected);
    }

    @Test
    void twoCandidatesOfOneProviderNeedNames() {
        assertThat(problems(SMALL + "  - { provider: sim-steady }\n"))
                .containsExactly("plan.yaml:7:17: candidates[1].provider: two candidates are called sim-steady"
                        + " (give one of them a name of its own: name: sim-steady-2)");
    }

    @Test
    void everyProblemIsToldAtOnceInOrder() {
        assertThat(problems("""
                        plan: Small!
                        gpu: A100
                        budget: { cap: 0, currency: CNY }
                        candidates: []
                        colour: red
                        """))
                .extracting(p -> p.replaceFirst("^(plan.yaml:[0-9]+:[0-9]+: [a-z.]+): .*", "$1"))
                .containsExactly(
                        "plan.yaml:1:7: plan",
                        "plan.yaml:3:16: budget.cap",
                        "plan.yaml:4:13: candidates",
                        "plan.yaml:5:1: colour");
    }

    @Test
    void duplicateKeysAreRefused() {
        assertThat(problems(SMALL + "plan: other\n"))
                .containsExactly("plan.yaml:7:1: plan: plan is there twice; the first is on line 1");
    }

    @Test
    void filesThatAreNoPlanAreRefused() throws Exception {
        assertThat(problems(""))
                .containsExactly("plan.yaml: the file is empty (`seatrial init` writes a plan to begin with)");
        assertThat(problems("# only a remark\n")).hasSize(1).first().asString().contains("empty");
        assertThat(problems("just words\n"))
                .containsExactly("plan.yaml:1:1: the file must hold fields with values (such as `plan: my-first`)");
        assertThat(problems("- a\n- b\n")).hasSize(1);
        assertThat(problems("plan: [a\nbudget: x\n").get(0)).startsWith("plan.yaml:2:7: not valid YAML");
        assertThat(problems("plan:\n\tname: x\n").get(0)).startsWith("plan.yaml:2:1: not valid YAML");
        assertThat(problems("plan: x\n---\nplan: y\n")).hasSize(1);
        assertThat(problems("plan: !!java.net.URL [x]\n").get(0)).contains("not allowed");
        assertThat(problems("plan: !thing x\n").get(0)).contains("types such as !thing are not allowed");
        assertThat(problems(new byte[] {'p', ':', ' ', 'x', '\n', 'a', ':', (byte) 0xff, '\n'}))
                .containsExactly("plan.yaml:2:3: not UTF-8 text (save the file as UTF-8)");

        PlanException directory = catchThrowableOfType(
                PlanException.class, () -> loader(Locale.ENGLISH).load(dir));
        assertThat(directory.errors().get(0).message()).isEqualTo("is a directory");
        PlanException missing = catchThrowableOfType(
                PlanException.class, () -> loader(Locale.ENGLISH).load(dir.resolve("nothing.yaml")));
        assertThat(missing.errors().get(0).message()).isEqualTo("no such file");
    }

    @Test
    void bombsAreRefusedQuickly() {
        String bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
                + IntStream.range(1, 9)
                        .mapToObj(i -> "a" + i + ": &a" + i + " ["
                                + "*a%d,".formatted(i - 1).repeat(8) + "*a" + (i - 1) + "]")
                        .collect(Collectors.joining("\n"));
        assertThat(problems(bomb)).hasSize(1);
        String few = "a0: &a0 [" + "x,".repeat(2000) + "x]\na1: &a1 [*a0,*a0,*a0,*a0]\na2: [*a1,*a1,*a1,*a1]\n";
        assertThat(problems(few)).hasSize(1).first().asString().contains("expands to more than");
        assertThat(problems("a: " + "[".repeat(5000))).hasSize(1);
        assertThat(problems("a: &a [*a]\n")).hasSize(1);
        assertThat(problems("a: " + "x".repeat(300_000))).containsExactly("plan.yaml: larger than 256 KiB");
        assertThat(problems(SMALL.replace("cap: 20", "cap: 1e999999999")).get(0))
                .contains("must be a number");
    }

    @Test
    void problemsAreToldInChineseToo() {
        Path file = write(
                SMALL.replace("cap: 20", "cap: -5").replace("preset", "presets").getBytes(StandardCharsets.UTF_8));
        PlanException e = catchThrowableOfType(
                PlanException.class, () -> loader(Locale.CHINESE).load(file));
        assertThat(e.errors()).extracting(PlanException.PlanError::message).containsExactly("不认识的字段", "必须大于 0,现在是 -5");
    }

    @Test
    void whatHappensToAMachineThatFailedIsRead() throws PlanException {
        assertThat(load(SMALL).limits().onFail()).isEmpty();
        assertThat(load(SMALL + "onFail: { keep: 30m, max: 20 }\n").limits().onFail())
                .contains(new OnFail(Duration.ofMinutes(30), BigMoney.parse("CNY 20")));
        assertThatThrownBy(() -> load(SMALL + "onFail: { keep: 30m }\n"))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("max");
    }

    @Test
    void theEndMayHaveADate() throws PlanException {
        assertThat(load(SMALL + "limits: { until: \"2026-03-03 08:30\", zone: Asia/Shanghai }\n")
                        .limits()
                        .until())
                .contains(Instant.parse("2026-03-03T00:30:00Z"));
        assertThatThrownBy(() -> load(SMALL + "limits: { until: \"2026-03-01 11:59\", zone: UTC }\n"))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("is over already");
        assertThatThrownBy(() -> load(SMALL + "limits: { until: \"2026-02-30 11:59\", zone: UTC }\n"))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("is no date");
    }
}
