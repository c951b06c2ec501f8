package dev.seatrial.app.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.config.Secrets;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.plan.PlanException;
import dev.seatrial.app.plan.YamlPlanLoader;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightReport.LeaseEstimate;
import dev.seatrial.app.provider.ConfiguredProviders;
import dev.seatrial.app.provider.Targets;
import dev.seatrial.app.remote.BorrowedProvider;
import dev.seatrial.app.remote.FileLeaseKeys;
import dev.seatrial.app.remote.HandedOver;
import dev.seatrial.app.remote.Machines;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.simulator.Profile;
import dev.seatrial.simulator.Profiles;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreflightTest {
    private static final Path PLANS = Path.of("..", "workflows", "plans");
    private static final String PLAN = """
            plan: small
            gpu: A100-SXM4-80G
            preset: quick
            budget: { cap: 100, currency: CNY }
            candidates:
              - { provider: sim-steady }
            """;

    @TempDir
    Path dir;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<String, Map<String, String>> accounts = new LinkedHashMap<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private Plan load(Path file) throws PlanException {
        return new YamlPlanLoader(InstantSource.system(), ZoneId.of("UTC"), GpuCatalogue.load(), Locale.ENGLISH)
                .load(file);
    }

    private PreflightReport check(String yaml) throws Exception {
        return check(load(Files.writeString(dir.resolve("plan.yaml"), yaml)));
    }

    private PreflightReport check(Plan plan) {
        Settings settings = new Settings(dir, dir.resolve("config.yaml"), accounts);
        Secrets secrets = new Secrets(Map.of(), dir);
        Targets targets = new Targets(settings, secrets);
        Machines machines = new Machines(new FileLeaseKeys(dir.resolve("keys")), targets::of);
        ConfiguredProviders providers = new ConfiguredProviders(
                settings,
                secrets,
                targets,
                InstantSource.system(),
                (id, t) -> new BorrowedProvider(
                        id, t, machines, new HandedOver(dir.resolve("handed-over")), BigMoney.parse("CNY 0")));
        open.add(providers);
        return new Preflight(providers, InstantSource.system()).check(plan);
    }

    /** A simulated account {@code sim-own} that differs from the steady one. */
    private void own(String json) {
        Profile profile = Profiles.parse(json, "own");
        Simulator simulator = Simulator.start(SimulatorOptions.of("steady").withProfile(profile));
        open.add(simulator);
        accounts.put("sim-own", Map.of("kind", "sim", "url", simulator.baseUri().toString()));
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }

    @Test
    void theQuickstartFitsItsCapInTheWorstCase() throws Exception {
        PreflightReport report = check(load(PLANS.resolve("quickstart.yaml")));

        assertThat(report.candidates()).allSatisfy(c -> assertThat(c.findings()).isEmpty());
        assertThat(report.ok()).isTrue();
        assertThat(report.findings()).isEmpty();
        assertThat(report.usable()).containsExactly("sim-steady", "sim-discount", "sim-flaky");
        BigMoney singles = sum(report, Phase.SINGLE, report.usable());
        BigMoney multis = sum(report, Phase.MULTI, List.of("sim-steady", "sim-flaky"));
        assertThat(singles.plus(multis).isLessThan(report.cap()))
                .as("%s + %s within %s", singles, multis, report.cap())
                .isTrue();
        // A create whose answer is lost may cost flaky one more single lease.
        BigMoney again = sum(report, Phase.SINGLE, List.of("sim-flaky"));
        assertThat(singles.plus(multis).plus(again).isLessThan(report.cap())).isTrue();
    }

    private static BigMoney sum(PreflightReport report, Phase phase, List<String> candidates) {
        return report.candidates().stream()
                .filter(c -> candidates.contains(c.candidate()))
                .flatMap(c -> c.leases().stream())
                .filter(l -> l.phase() == phase)
                .map(LeaseEstimate::worstInPlan)
                .reduce(BigMoney.parse("CNY 0"), BigMoney::plus);
    }

    @Test
    void theOtherExamplePlansAreFine() throws Exception {
        PreflightReport here = check(load(PLANS.resolve("this-machine.yaml")));
        assertThat(here.ok()).isTrue();
        assertThat(codes(here.candidates().get(0).findings())).containsExactly("PRICE_NOT_STATED");

        accounts.put("handed-over", Map.of("kind", "ssh", "host", "127.0.0.1", "port", "1", "user", "nobody"));
        PreflightReport handedOver = check(load(PLANS.resolve("handed-over.yaml")));
        assertThat(codes(handedOver.candidates().get(0).findings())).containsExactly("MACHINE_UNREACHABLE");
        assertThat(handedOver.usable()).isEmpty();
    }

    @Test
    void aCountThatNoOfferHasIsAnErrorOfThePlanThatNamesTheCounts() throws Exception {
        PreflightReport report = check(PLAN + "phases: { multi: { gpus: [3] } }\n");
        assertThat(report.ok()).isFalse();
        assertThat(report.planErrors())
                .extracting(Finding::message)
                .containsExactly("No offer has 3 x A100-SXM4-80G; there are 1, 2, 8.");
        assertThat(new PreflightWords(Locale.ENGLISH)
                        .inPlan(report.planErrors().get(0), dir.resolve("plan.yaml"))
                        .toString()
                        .replace(dir + "/", ""))
                .isEqualTo("plan.yaml:7:26: phases.multi.gpus: No offer has 3 x A100-SXM4-80G; there are 1, 2, 8."
                        + " (Change phases.multi.gpus in the plan.)");
        assertThat(check(PLAN + "phases: { multi: { gpus: [16] } }\n").planErrors())
                .hasSize(1);
    }

    @Test
    void anUnknownAccountIsAnErrorWithAGuess() throws Exception {
        PreflightReport report = check(PLAN.replace("sim-steady", "sim-stedy"));
        assertThat(report.planErrors()).hasSize(1).first().satisfies(f -> {
            assertThat(f.message()).isEqualTo("No account is called sim-stedy.");
            assertThat(f.next()).startsWith("Did you mean sim-steady?");
            assertThat(new PreflightWords(Locale.ENGLISH).inPlan(f, dir.resolve("plan.yaml")))
                    .satisfies(e -> assertThat(e.line()).isEqualTo(6))
                    .satisfies(e -> assertThat(e.path()).isEqualTo("candidates[0].provider"));
            assertThat(new PreflightWords(Locale.CHINESE).message(f)).isEqualTo("没有叫 sim-stedy 的账户。");
        });
    }

    @Test
    void oneMissingKeyLeavesTheOthersUsable() throws Exception {
        accounts.put("lost", Map.of("kind", "sim", "url", "http://127.0.0.1:1", "apiKey", "env:NOT_SET"));
        PreflightReport report = check(PLAN + "  - { provider: lost }\n");
        assertThat(report.ok()).isFalse();
        assertThat(report.usable()).containsExactly("sim-steady");
        assertThat(report.planErrors()).isEmpty();
        CandidateCheck lost = report.candidates().get(1);
        assertThat(lost.obstacle().orElseThrow().code()).isEqualTo("SETTINGS_INCOMPLETE");
        assertThat(lost.obstacle().orElseThrow().message()).contains("NOT_SET is not set");
    }

    @Test
    void refusedAndUnreachableAccountsAreToldApart() throws Exception {
        Simulator locked = Simulator.start(SimulatorOptions.of("steady").withApiKey("other"));
        open.add(locked);
        accounts.put("wrong-key", Map.of("kind", "sim", "url", locked.baseUri().toString()));
        accounts.put("away", Map.of("kind", "sim", "url", "http://127.0.0.1:1"));
        PreflightReport report = check(PLAN.replace("sim-steady", "wrong-key")
                + "  - { provider: away }\naccept: [cap-not-guaranteed-offline]\n");
        assertThat(report.candidates().get(0).obstacle().orElseThrow().code()).isEqualTo("ACCOUNT_REFUSED");
        assertThat(report.candidates().get(1).obstacle().orElseThrow().code()).isEqualTo("ACCOUNT_UNREACHABLE");
    }

    @Test
    void aKeyThatMayNotDeleteIsNotUsed() throws Exception {
        own("{\"permissions\": [\"create\"]}");
        PreflightReport report = check(PLAN.replace("sim-steady", "sim-own"));
        assertThat(report.candidates().get(0).obstacle().orElseThrow().message())
                .isEqualTo("The key works but may not: delete.");
    }

    @Test
    void aVendorThatEndsNothingByItselfNeedsAcceptance() throws Exception {
        own("{\"deadline\": {\"supported\": false}}");
        PreflightReport without = check(PLAN.replace("sim-steady", "sim-own"));
        assertThat(codes(without.planErrors())).containsExactly("OFFLINE_NOT_ACCEPTED");
        PreflightReport with = check(PLAN.replace("sim-steady", "sim-own") + "accept: [cap-not-guaranteed-offline]\n");
        assertThat(with.ok()).isTrue();
        assertThat(codes(with.candidates().get(0).findings())).containsExactly("OFFLINE_ACCEPTED");
    }

    @Test
    void balanceCapsAndTimeAreHeldAgainstTheWorstCase() throws Exception {
        own("{\"balance\": 1.0}");
        PreflightReport poor = check(PLAN.replace("sim-steady", "sim-own"));
        assertThat(poor.candidates().get(0).obstacle().orElseThrow().code()).isEqualTo("BALANCE_LOW");

        PreflightReport tight = check(PLAN.replace("cap: 100", "cap: 5"));
        assertThat(codes(tight.findings())).containsExactly("CAP_SMALL");
        assertThat(codes(tight.candidates().get(0).findings())).containsExactly("CANDIDATE_CAP_SMALL");
        assertThat(tight.candidates().get(0).findings())
                .allSatisfy(f -> assertThat(f.severity()).isEqualTo(Severity.WARN));

        PreflightReport ladder = check(PLAN.replace("cap: 100", "cap: 40") + "phases: { multi: { gpus: [2, 8] } }\n");
        assertThat(codes(ladder.findings())).containsExactly("CAP_MAY_STOP");

        PreflightReport late = check(PLAN + "limits: { evaluation: 57m30s }\n");
        assertThat(codes(late.planErrors())).containsExactly("TIME_TOO_SHORT");
    }

    @Test
    void pricesInAnotherCurrencyNeedARate() throws Exception {
        PreflightReport without = check(PLAN.replace("currency: CNY", "currency: USD"));
        assertThat(codes(without.planErrors())).containsExactly("NO_RATE");
        PreflightReport with = check(PLAN.replace("currency: CNY", "currency: USD, fx: { CNY: 0.14 }"));
        assertThat(with.ok()).isTrue();
        assertThat(with.candidates()
                        .get(0)
                        .leases()
                        .get(0)
                        .worstInPlan()
                        .getCurrencyUnit()
                        .getCode())
                .isEqualTo("USD");
    }

    @Test
    void noGpuAndNoImageOfThatName() throws Exception {
        assertThat(check(PLAN.replace("A100-SXM4-80G", "H200-SXM-141G"))
                        .candidates()
                        .get(0)
                        .obstacle()
                        .orElseThrow()
                        .code())
                .isEqualTo("NO_OFFER");
        PreflightReport image = check(PLAN.replace("sim-steady", "sim-steady, image: pytorch-2.8-cu126"));
        assertThat(image.planErrors().get(0).next()).isEqualTo("There is: pytorch-2.7-cu126.");
    }

    @Test
    void theTasksFilesAreWeighed() throws Exception {
        Path smoke = Files.createDirectory(dir.resolve("smoke"));
        Files.write(smoke.resolve("data.bin"), new byte[3_000_000]);
        PreflightReport report = check(PLAN + "task: { upload: ./smoke, command: 'true' }\n");
        assertThat(report.findings())
                .extracting(Finding::message)
                .containsExactly("3 MB are sent to every machine, about 2s at 20 Mbit/s.");
    }

    @Test
    void wordsOfBothLanguagesAreComplete() throws IOException {
        java.util.Properties english = new java.util.Properties();
        java.util.Properties chinese = new java.util.Properties();
        for (String name :
                List.of("plan/messages", "preflight/messages", "config/yaml", "config/schema", "config/settings")) {
            try (var en = Files.newBufferedReader(Path.of("main/resources/" + name + ".properties"));
                    var zh = Files.newBufferedReader(Path.of("main/resources/" + name + "_zh.properties"))) {
                english.load(en);
                chinese.load(zh);
            }
            assertThat(chinese.keySet()).as(name).isEqualTo(english.keySet());
        }
    }
}
