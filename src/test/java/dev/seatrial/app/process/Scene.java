package dev.seatrial.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.app.ledger.SqlLedger;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A user with a data directory of their own, and a simulated vendor in its own process that lives on whatever happens to
 * the application. The vendor's meter is the judge.
 */
final class Scene implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LOOK = Duration.ofMillis(40);

    private final Path directory;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<AppProcess> started = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private final URI vendor;

    private Scene(Path directory, String profile) {
        this.directory = directory;
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        environment.put("SEATRIAL_HOME", home().toString());
        AppProcess simulator = run("simulator", "--port", "0", "--profile", profile(profile), "--json");
        simulator.awaitStdout("}");
        this.vendor = URI.create(simulator.document().path("url").asText());
        write("config.yaml", configuration());
    }

    /** @param profile a file of the tests' resources, without its ending */
    static Scene of(Path directory, String profile) {
        return new Scene(directory, profile);
    }

    Path home() {
        return directory.resolve("data home");
    }

    Path directory() {
        return directory;
    }

    /** Address of the vendor's API. */
    URI vendor() {
        return vendor;
    }

    /** A configuration with the vendor of this scene; more accounts can be appended. */
    String configuration() {
        return "providers:\n  acme: { kind: sim, url: \"" + vendor + "\" }\n";
    }

    /** Makes an instance behind the application's back. */
    void rentUnder(String name) {
        String key = call(vendorCall("/v1/keys", "{\"name\": \"" + name + "\", \"publicKey\": \"ssh-ed25519 AAAA x\"}"))
                .path("id")
                .asText();
        call(vendorCall(
                "/v1/instances",
                "{\"name\": \"" + name + "\", \"token\": \"" + name + "\", \"offer\": \"a100-x1\", \"keyId\": \"" + key
                        + "\"}"));
    }

    private HttpRequest.Builder vendorCall(String path, String body) {
        return HttpRequest.newBuilder(vendor.resolve(path))
                .header("Authorization", "Bearer sim-key")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private String profile(String name) {
        Path file = directory.resolve(name + ".json");
        try (InputStream in = Scene.class.getResourceAsStream("/process/" + name + ".json")) {
            Files.write(file, java.util.Objects.requireNonNull(in, name).readAllBytes());
            return file.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a file into the working directory. */
    Path write(String name, String content) {
        try {
            return Files.writeString(directory.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One candidate on one GPU: environment and compute. */
    Path plan() {
        return plan("single", "phases:\n  single: { stages: [environment, compute] }\n");
    }

    /** A plan whose candidate is the vendor of this scene. */
    Path plan(String name, String phases) {
        return write(name + ".yaml", """
                plan: %s
                gpu: A100-SXM4-80G
                preset: quick
                budget: { cap: 20, currency: CNY }
                candidates:
                  - { provider: acme }
                %slimits:
                  provisioning: 20s
                  evaluation: 2h
                  stages: { environment: 10s, compute: 5m, interconnect: 10s }
                """.formatted(name, phases));
    }

    /** Starts a command as it is. */
    AppProcess run(String... args) {
        AppProcess process = AppProcess.start(directory, environment, Arrays.asList(args));
        started.add(process);
        return process;
    }

    /** Starts a command with this scene's configuration. */
    AppProcess app(String... args) {
        List<String> all = new ArrayList<>(Arrays.asList(args));
        all.addAll(List.of("--config", directory.resolve("config.yaml").toString()));
        return run(all.toArray(String[]::new));
    }

    /** Installs a fault at the vendor. */
    void fault(String rule) {
        call(HttpRequest.newBuilder(vendor.resolve("/sim/faults")).POST(HttpRequest.BodyPublishers.ofString(rule)));
    }

    void clearFaults() {
        call(HttpRequest.newBuilder(vendor.resolve("/sim/faults")).DELETE());
    }

    JsonNode meter() {
        return call(HttpRequest.newBuilder(vendor.resolve("/sim/meter")));
    }

    private JsonNode call(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer =
                    http.send(request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Reads the ledger as another process would. */
    <T> Optional<T> ledger(Function<Ledger, T> read) {
        Optional<SqlLedger> ledger = SqlLedger.openReadOnly(home().resolve("ledger.db"), Clock.systemUTC());
        if (ledger.isEmpty()) {
            return Optional.empty();
        }
        try (SqlLedger open = ledger.get()) {
            return Optional.of(read.apply(open));
        }
    }

    List<LeaseRow> leases() {
        return ledger(l -> l.evaluations(1_000).stream()
                        .flatMap(e -> l.leases(e.id()).stream())
                        .toList())
                .orElse(List.of());
    }

    EvaluationRow evaluation(String id) {
        return ledger(l -> l.evaluation(id).orElseThrow()).orElseThrow();
    }

    /** The latest evaluation. */
    String latest() {
        return ledger(l -> l.evaluations(1).get(0).id()).orElseThrow();
    }

    /** Waits until some lease is in this state; fails at once when the process has ended. */
    void awaitState(AppProcess runs, LeaseState state) {
        awaitLease(runs, state.name(), l -> l.state() == state);
    }

    /** Waits until a stage runs on the machine. */
    void awaitStage(AppProcess runs, String stage) {
        await("stage " + stage)
                .atMost(AppProcess.LIMIT)
                .pollInterval(LOOK)
                .until(() -> !runs.alive()
                        || ledger(l -> l.evaluations(1).stream()
                                        .flatMap(e -> l.stageRuns(e.id()).stream())
                                        .anyMatch(r -> r.stage().word().equals(stage)
                                                && r.endedAt().isEmpty()))
                                .orElse(false));
        assertThat(runs.alive()).as(runs.stderr()).isTrue();
    }

    private void awaitLease(AppProcess runs, String what, Predicate<LeaseRow> is) {
        await("a lease that is " + what)
                .atMost(AppProcess.LIMIT)
                .pollInterval(LOOK)
                .until(() -> !runs.alive() || leases().stream().anyMatch(is));
        assertThat(runs.alive()).as(runs.stderr()).isTrue();
    }

    /** The judge: nothing runs, nothing is open, and there were as many instances as leases that had one. */
    void assertNothingLeft() {
        JsonNode meter = meter();
        assertThat(meter.path("running")).as(meter.toPrettyString()).isEmpty();
        List<LeaseRow> leases = leases();
        assertThat(leases).allMatch(l -> l.state() == LeaseState.RELEASED || l.state() == LeaseState.NOT_CREATED);
        assertThat(meter.path("created").asLong())
                .as(
                        "instances against leases %s",
                        leases.stream().collect(Collectors.toMap(LeaseRow::id, LeaseRow::state)))
                .isEqualTo(leases.stream()
                        .filter(l -> l.state() == LeaseState.RELEASED)
                        .count());
    }

    /** Nothing was ever asked of the vendor that costs. */
    void assertNothingRented() {
        assertThat(meter().path("created").asLong()).isZero();
        assertThat(leases()).isEmpty();
    }

    @Override
    public void close() {
        started.forEach(AppProcess::close);
    }
}
