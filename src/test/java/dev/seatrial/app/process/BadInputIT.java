package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong is told in plain words, before anything is rented. */
class BadInputIT {
    private static final String GOOD = """
            plan: good
            gpu: A100-SXM4-80G
            preset: quick
            budget: { cap: 20, currency: CNY }
            candidates:
              - { provider: acme }
            phases:
              single: { stages: [environment, compute] }
            limits: { provisioning: 20s, evaluation: 5h, stages: { environment: 10s, compute: 20s } }
            """;

    @TempDir
    static Path directory;

    private static Scene scene;

    @BeforeAll
    static void vendor() {
        scene = Scene.of(directory, "fast");
    }

    @AfterAll
    static void end() {
        scene.close();
    }

    @ParameterizedTest(name = "{0} becomes {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "gpu: A100          | gpus: A100           | 2:1 | gpus",
                "cap: 20            | cap: plenty          | 4:16 | cap",
                "cap: 20            | cap: -20             | 4:16 | cap",
                "gpu: A100-SXM4-80G | gpu: A100-SXM9-80G   | 2:6 | A100-SXM",
                "preset: quick      | preset: quack        | 3:9 | quick",
                "provider: acme }   | provider: acme, price: { amount: 3, currency: CNY } } | 6 | per",
                "single: { stages: [environment, compute] } | multi: { gpus: [16], stages: [environment] } | 8:18 | 16",
            })
    void aPlanThatSaysWhatCannotBe(String right, String wrong, String place, String word) {
        Path plan = scene.write("wrong.yaml", GOOD.replace(right, wrong));

        AppProcess run = scene.app("evaluate", plan.toString(), "--json").exits(2);

        told(run, "wrong.yaml:" + place, word);
    }

    @Test
    void aPlanInACurrencyThatCannotBeConverted() {
        Path plan = scene.write("foreign.yaml", GOOD.replace("currency: CNY", "currency: USD"));

        told(scene.app("evaluate", plan.toString(), "--json").exits(2), "foreign.yaml:4", "CNY");
    }

    @Test
    void aFileThatIsNoPlan() throws IOException {
        Path empty = scene.write("empty.yaml", "");
        told(scene.app("evaluate", empty.toString(), "--json").exits(2), "empty.yaml");
        told(scene.app("evaluate", directory.toString(), "--json").exits(2), directory.toString());
        told(scene.app("evaluate", "nowhere.yaml", "--json").exits(2), "nowhere.yaml");
        Path bomb = scene.write("bomb.yaml", """
                a: &a [x, x, x, x, x, x, x, x, x]
                b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
                c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
                d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
                e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
                f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
                g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]
                """);
        told(scene.app("evaluate", bomb.toString(), "--json").exits(2), "bomb.yaml");
        Path noise = Files.write(directory.resolve("noise.yaml"), new byte[] {0, 1, 2, (byte) 0xff, (byte) 0xfe});
        told(scene.app("evaluate", noise.toString(), "--json").exits(2), "noise.yaml");
    }

    @Test
    void aCommandLineThatCannotBe() {
        told(scene.run("evaluate", "--json").exits(2), "PLAN");
        told(scene.run("evaluat", "--json").exits(2), "evaluat");
        told(scene.run("sweep", "--dry-runn", "--json").exits(2), "--dry-run");
        told(scene.run("sweep", "--wait", "soon", "--json").exits(2), "--wait", "soon");
        told(scene.run("--json").exits(2), "quickstart.yaml");
        assertThat(scene.run("evaluate", "--lang", "zh").exits(2).stderr()).contains("缺少：PLAN");
    }

    @Test
    void oneCandidateWithoutItsKey() {
        scene.write(
                "keyless.yaml",
                scene.configuration() + "  locked: { kind: sim, url: \"" + scene.vendor()
                        + "\", apiKey: \"env:NO_SUCH_KEY\" }\n");
        Path plan = scene.write(
                "two.yaml", GOOD.replace("  - { provider: acme }", "  - { provider: acme }\n  - { provider: locked }"));
        String[] refused = {
            "evaluate",
            plan.toString(),
            "--config",
            directory.resolve("keyless.yaml").toString()
        };

        AppProcess all = scene.run(refused).exits(2);
        assertThat(all.stderr()).contains("locked").contains("NO_SUCH_KEY").contains("--partial");
        scene.assertNothingRented();

        Path alone = scene.write("alone.yaml", GOOD.replace("provider: acme", "provider: locked"));
        AppProcess none = scene.run(
                        "evaluate",
                        alone.toString(),
                        "--json",
                        "--config",
                        directory.resolve("keyless.yaml").toString())
                .exits(4);
        assertThat(none.document().path("error").path("exitCode").asInt()).isEqualTo(4);
        scene.assertNothingRented();
    }

    @Test
    void theOthersGoOnWhenTheUserSaysSo() {
        try (Scene own = Scene.of(directory.resolve("own"), "fast")) {
            own.write(
                    "keyless.yaml",
                    own.configuration() + "  locked: { kind: sim, url: \"" + own.vendor()
                            + "\", apiKey: \"env:NO_SUCH_KEY\" }\n");
            Path plan = own.write(
                    "two.yaml",
                    GOOD.replace("  - { provider: acme }", "  - { provider: acme }\n  - { provider: locked }"));

            AppProcess run = own.run(
                            "evaluate",
                            plan.toString(),
                            "--partial",
                            "--json",
                            "--config",
                            own.directory().resolve("keyless.yaml").toString())
                    .exits(0);

            JsonNode trials = run.document().path("trials");
            assertThat(trials).extracting(t -> t.path("verdict").asText()).containsExactly("PASS", "UNKNOWN");
            assertThat(trials.path(1).path("reason").asText()).contains("NO_SUCH_KEY");
            own.assertNothingLeft();
        }
    }

    @Test
    void aDataDirectoryThatCannotBeUsed() {
        Path file = scene.write("a-file", "");
        for (Path home : List.of(file, file.resolve("below"))) {
            AppProcess run = AppProcess.start(
                    directory,
                    Map.of("SEATRIAL_HOME", home.toString()),
                    List.of("evaluate", scene.write("good.yaml", GOOD).toString(), "--json"));
            try (run) {
                told(run.exits(2), home.toString());
            }
        }
    }

    @Test
    void aLedgerThatIsBroken() throws IOException {
        try (Scene own = Scene.of(directory.resolve("broken"), "fast")) {
            own.app("evaluations").exits(0);
            Files.createDirectories(own.home());
            Path ledger = own.home().resolve("ledger.db");
            Files.write(
                    ledger,
                    "this is not a ledger at all, and long enough to be looked at"
                            .repeat(40)
                            .getBytes(StandardCharsets.UTF_8));
            byte[] before = Files.readAllBytes(ledger);
            own.rentUnder("st-abcd2345-abcdefghij-t1700000000");
            own.rentUnder("st-abcd2345-abcdefghik-t4102444800");
            own.rentUnder("somebody-elses");

            for (String[] command : new String[][] {
                {"evaluate", own.plan().toString(), "--json"},
                {"show", "--json"},
                {"leases", "--json"},
                {"resume", "--json"}
            }) {
                AppProcess run = own.app(command).exits(70);
                told(run, "ledger.db", "sweep");
            }
            AppProcess sweep = own.app("sweep", "--json").exits(0);

            assertThat(sweep.stderr()).contains("names and deadlines");
            assertThat(own.meter().path("running")).hasSize(2);
            assertThat(Files.readAllBytes(ledger)).isEqualTo(before);
        }
    }

    /** One document that says it, words on the terminal that say it too, no stack trace, nothing rented. */
    private static void told(AppProcess run, String... words) {
        JsonNode error = run.document().path("error");
        assertThat(error.path("exitCode").asInt()).isEqualTo(run.exit());
        for (String word : words) {
            assertThat(run.stderr()).contains(word);
            assertThat(error.toString()).contains(word);
        }
        assertThat(run.stderr()).doesNotContain("Exception").doesNotContain("\tat ");
        scene.assertNothingRented();
    }
}
