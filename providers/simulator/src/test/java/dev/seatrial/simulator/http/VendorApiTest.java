package dev.seatrial.simulator.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.simulator.Client;
import dev.seatrial.simulator.MeterReading;
import dev.seatrial.simulator.Profiles;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.simulator.TestClock;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VendorApiTest {
    private final TestClock clock = new TestClock();
    private Simulator simulator = Simulator.start(SimulatorOptions.of("steady").withClock(clock));
    private Client client = new Client(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    private void restart(String profile) {
        simulator.close();
        simulator = Simulator.start(SimulatorOptions.of("steady")
                .withClock(clock)
                .withProfile(Profiles.parse(profile.replace('\'', '"'), "test")));
        client = new Client(simulator);
    }

    private String state(String id) {
        JsonNode instance = client.get("/v1/instances/" + id);
        return instance.path("state").asText(instance.path("error").path("code").asText());
    }

    private String made(String name) {
        JsonNode answer = client.create(name);
        assertThat(answer.path("id").asText()).as(answer.toString()).isNotEmpty();
        return answer.path("id").asText();
    }

    private JsonNode error(JsonNode answer) {
        assertThat(answer.path("error").isObject()).as(answer.toString()).isTrue();
        return answer.path("error");
    }

    @Test
    void aLifeFollowsTheClock() {
        String id = made("st-abcd-life-t1");
        assertThat(state(id)).isEqualTo("provisioning");
        clock.advance(Duration.ofMillis(1000));
        assertThat(state(id)).isEqualTo("booting");
        assertThat(client.get("/v1/instances/" + id).path("ssh").isNull()).isTrue();
        clock.advance(Duration.ofMillis(1500));
        assertThat(state(id)).isEqualTo("running");
        assertThat(client.get("/v1/instances/" + id).path("ssh").path("port").asInt())
                .isPositive();

        client.delete("/v1/instances/" + id);
        assertThat(state(id)).isEqualTo("deleting");
        assertThat(simulator.meter().idle()).isFalse();
        clock.advance(Duration.ofMillis(800));
        assertThat(state(id)).isEqualTo("not_found");

        clock.advance(Duration.ofHours(3));
        MeterReading meter = simulator.meter();
        assertThat(meter.idle()).isTrue();
        assertThat(meter.created()).isEqualTo(1);
        // 3.3 s are four seconds of 9.00 an hour.
        assertThat(meter.billed().getAmount()).isEqualByComparingTo("0.01");
    }

    @Test
    void theMeterIsReadOverHttp() {
        String id = made("st-abcd-meter-t1");
        clock.advance(Duration.ofSeconds(10));
        JsonNode meter = client.get("/sim/meter");
        assertThat(meter.path("created").asInt()).isEqualTo(1);
        assertThat(meter.path("running").get(0).asText()).isEqualTo(id);
        assertThat(meter.path("billed").asText()).isEqualTo("0.025000");
        assertThat(meter.path("currency").asText()).isEqualTo("CNY");
        JsonNode instance = meter.path("instances").get(0);
        assertThat(instance.path("name").asText()).isEqualTo("st-abcd-meter-t1");
        assertThat(instance.path("gpus").asInt()).isEqualTo(1);
        assertThat(instance.path("state").asText()).isEqualTo("running");
        assertThat(instance.path("to").isNull()).isTrue();
    }

    @Test
    void theVendorsClockIsTheSimulatedOne() throws IOException {
        HttpResponse<String> answer = client.raw("GET", "/v1/account", "");
        assertThat(answer.headers().firstValue("Date")).contains("Mon, 4 May 2026 10:00:00 GMT");
    }

    @Test
    void theVendorsClockMayBeWrong() throws IOException {
        restart("{'timing': {'clockSkew': 300}}");
        HttpResponse<String> answer = client.raw("GET", "/v1/account", "");
        assertThat(answer.headers().firstValue("Date")).contains("Mon, 4 May 2026 10:05:00 GMT");
        String id = made("st-abcd-skew-t1");
        assertThat(client.get("/v1/instances/" + id).path("createdAt").asText()).isEqualTo("2026-05-04T10:05:00Z");
        client.call("PUT", "/v1/instances/" + id + "/deadline", "{'deleteAt': '2026-05-04T10:06:00Z'}");
        clock.advance(Duration.ofSeconds(61));
        assertThat(simulator.meter().idle()).as("it deletes by its own clock").isTrue();
    }

    @Test
    void onlyWholeMachinesMayBeOnOffer() {
        restart("""
                {'offers': [{'id': 'a100-x8', 'region': 'sim-1', 'gpu': 'A100-SXM4-80G', 'vendorGpu': 'A100', 'gpus': 8,
                 'hourly': 68, 'increment': 'hour', 'minimumSeconds': 0, 'refund': '', 'stopped': '', 'available': 'yes'}]}""");
        assertThat(client.get("/v1/offers").path("offers")).hasSize(1);
        client.create("st-abcd-whole-t1", "a100-x8", Client.PUBLIC_KEY);
        clock.advance(Duration.ofMinutes(61));
        assertThat(simulator.meter().billed().getAmount()).isEqualByComparingTo("136");
    }

    @Test
    void aReleaseIsRefusedForAWhileAndTheBillGoesOn() {
        simulator.fault("{\"operation\": \"release\", \"call\": 1, \"action\": \"refuse\", \"seconds\": 5}");
        String id = made("st-abcd-refused-t1");
        JsonNode error = error(client.delete("/v1/instances/" + id));
        assertThat(error.path("code").asText()).isEqualTo("release_refused");
        assertThat(error.path("retryAfterSeconds").asInt()).isEqualTo(5);
        clock.advance(Duration.ofSeconds(4));
        assertThat(error(client.delete("/v1/instances/" + id))
                        .path("retryAfterSeconds")
                        .asInt())
                .isEqualTo(1);
        assertThat(simulator.meter().running()).containsExactly(id);
        clock.advance(Duration.ofSeconds(1));
        assertThat(client.delete("/v1/instances/" + id).path("state").asText()).isEqualTo("deleting");
    }

    @Test
    void aLostAnswerLeavesAnInstance() {
        simulator.fault("{\"operation\": \"create\", \"action\": \"drop\", \"effect\": \"before\"}");
        assertThatThrownBy(() -> client.create("st-abcd-lost-t1")).hasCauseInstanceOf(IOException.class);
        assertThat(simulator.meter().created()).isEqualTo(1);
        assertThat(client.get("/v1/instances").path("instances")).hasSize(1);
    }

    @Test
    void aCreateMayLandLate() {
        simulator.fault(
                "{\"operation\": \"create\", \"action\": \"status\", \"status\": 504, \"effect\": \"after\", \"seconds\": 30}");
        error(client.create("st-abcd-late-t1"));
        assertThat(client.get("/v1/instances").path("instances")).isEmpty();
        assertThat(simulator.meter().created()).isZero();
        clock.advance(Duration.ofSeconds(30));
        assertThat(client.get("/v1/instances").path("instances")).hasSize(1);
        assertThat(simulator.meter().running()).hasSize(1);
    }

    @Test
    void aRefusedCreateMakesNothing() {
        simulator.fault(
                "{\"operation\": \"create\", \"to\": 2, \"action\": \"status\", \"status\": 409, \"code\": \"no_capacity\"}");
        assertThat(error(client.create("st-abcd-one-t1")).path("code").asText()).isEqualTo("no_capacity");
        assertThat(error(client.create("st-abcd-one-t1")).path("code").asText()).isEqualTo("no_capacity");
        assertThat(made("st-abcd-one-t1")).isNotEmpty();
        assertThat(simulator.meter().created()).isEqualTo(1);
    }

    @Test
    void aReleaseThatIsOnlyPretendedEndsNothing() {
        simulator.fault("{\"operation\": \"release\", \"action\": \"pretend\"}");
        String id = made("st-abcd-pretend-t1");
        assertThat(client.delete("/v1/instances/" + id).path("state").asText()).isEqualTo("deleting");
        clock.advance(Duration.ofHours(1));
        assertThat(simulator.meter().running()).containsExactly(id);
    }

    @Test
    void theVendorsDeletionActsAtItsTime() {
        String id = made("st-abcd-deadline-t1");
        JsonNode armed =
                client.call("PUT", "/v1/instances/" + id + "/deadline", "{'deleteAt': '2026-05-04T10:00:01Z'}");
        assertThat(armed.path("deleteAt").asText())
                .as("its floor is ten seconds")
                .isEqualTo("2026-05-04T10:00:10Z");
        JsonNode later =
                client.call("PUT", "/v1/instances/" + id + "/deadline", "{'deleteAt': '2026-05-04T11:00:00Z'}");
        assertThat(later.path("deleteAt").asText()).isEqualTo("2026-05-04T10:00:10Z");
        clock.advance(Duration.ofSeconds(10));
        assertThat(simulator.meter().running()).hasSize(1);
        clock.advance(Duration.ofMillis(800));
        assertThat(simulator.meter().running()).isEmpty();
    }

    @Test
    void aDeletionMayBeLateOrIgnored() {
        restart("{'deadline': {'ignored': true}}");
        String id = made("st-abcd-ignored-t1");
        client.call("PUT", "/v1/instances/" + id + "/deadline", "{'deleteAt': '2026-05-04T10:01:00Z'}");
        clock.advance(Duration.ofDays(1));
        assertThat(simulator.meter().running()).containsExactly(id);

        restart("{'deadline': {'supported': false}}");
        String other = made("st-abcd-none-t1");
        assertThat(error(client.call(
                                "PUT", "/v1/instances/" + other + "/deadline", "{'deleteAt': '2026-05-04T10:01:00Z'}"))
                        .path("code")
                        .asText())
                .isEqualTo("unsupported");
    }

    @Test
    void machinesMayBeHiddenLaggingDeadOrNeverUp() {
        simulator.fault("{\"operation\": \"create\", \"call\": 1, \"action\": \"hide\", \"seconds\": 20}");
        simulator.fault("{\"operation\": \"create\", \"call\": 2, \"action\": \"lag\", \"seconds\": 20}");
        simulator.fault("{\"operation\": \"create\", \"call\": 3, \"action\": \"never-boots\"}");
        simulator.fault("{\"operation\": \"create\", \"call\": 4, \"action\": \"fails\"}");
        simulator.fault("{\"operation\": \"create\", \"call\": 5, \"action\": \"dead-ssh\"}");
        String hidden = made("st-abcd-hidden-t1");
        String lagging = made("st-abcd-lagging-t1");
        String never = made("st-abcd-never-t1");
        String failed = made("st-abcd-failed-t1");
        String dead = made("st-abcd-dead-t1");
        clock.advance(Duration.ofSeconds(19));
        assertThat(state(hidden)).isEqualTo("not_found");
        assertThat(state(lagging)).isEqualTo("provisioning");
        assertThat(state(failed)).isEqualTo("failed");
        assertThat(state(dead)).isEqualTo("running");
        assertThat(client.get("/v1/instances/" + dead).path("ssh").path("port").asInt())
                .isEqualTo(9);
        clock.advance(Duration.ofHours(1));
        assertThat(state(hidden)).isEqualTo("running");
        assertThat(state(lagging)).isEqualTo("running");
        assertThat(state(never)).isEqualTo("booting");
        assertThat(simulator.meter().running()).hasSize(5);
    }

    @Test
    void instancesMayVanishBehindEveryonesBack() {
        String id = made("st-abcd-vanish-t1");
        String other = made("st-abcd-stays-t1");
        simulator.fault("{\"operation\": \"list\", \"action\": \"vanish\", \"match\": \"vanish\", \"call\": 2}");
        assertThat(client.get("/v1/instances").path("instances")).hasSize(2);
        assertThat(client.get("/v1/instances").path("instances")).hasSize(1);
        assertThat(state(id)).isEqualTo("not_found");
        assertThat(state(other)).isEqualTo("provisioning");
    }

    @Test
    void theBilledPriceMayDifferFromTheQuote() {
        simulator.fault("{\"operation\": \"create\", \"action\": \"price\", \"factor\": 1.5}");
        String id = made("st-abcd-price-t1");
        assertThat(client.get("/v1/instances/" + id)
                        .path("hourly")
                        .decimalValue()
                        .doubleValue())
                .isZero();
        assertThat(client.get("/v1/instances/" + id).path("hourly").asDouble()).isEqualTo(13.5);
        clock.advance(Duration.ofHours(1));
        assertThat(simulator.meter().billed().getAmount()).isEqualByComparingTo("13.5");
        assertThat(client.get("/v1/instances/" + id + "/cost").path("amount").asDouble())
                .isEqualTo(13.5);
        assertThat(client.get("/v1/balance").path("balance").asText()).isEqualTo("4986.50");
    }

    @Test
    void limitsAreKept() {
        restart("{'quota': {'instances': 2}}");
        made("st-abcd-a-t1");
        assertThat(error(client.create("st-abcd-a-t2", "nothing", Client.PUBLIC_KEY))
                        .path("code")
                        .asText())
                .isEqualTo("invalid_offer");
        made("st-abcd-b-t1");
        assertThat(error(client.create("st-abcd-c-t1")).path("code").asText()).isEqualTo("quota_exceeded");

        restart("{'balance': 0.01}");
        made("st-abcd-a-t1");
        clock.advance(Duration.ofSeconds(10));
        assertThat(error(client.create("st-abcd-b-t1")).path("code").asText()).isEqualTo("insufficient_funds");

        restart("{'permissions': ['create']}");
        assertThat(error(client.delete("/v1/instances/" + made("st-abcd-a-t1")))
                        .path("code")
                        .asText())
                .isEqualTo("forbidden");
    }

    @Test
    void requestsArePaced() throws IOException {
        restart("{'rate': {'perSecond': 0.5, 'burst': 2}}");
        assertThat(client.raw("GET", "/v1/account", "").statusCode()).isEqualTo(200);
        assertThat(client.raw("GET", "/v1/account", "").statusCode()).isEqualTo(200);
        HttpResponse<String> slow = client.raw("GET", "/v1/account", "");
        assertThat(slow.statusCode()).isEqualTo(429);
        assertThat(slow.headers().firstValue("Retry-After")).contains("2");
        clock.advance(Duration.ofSeconds(2));
        assertThat(client.raw("GET", "/v1/account", "").statusCode()).isEqualTo(200);
    }

    @Test
    void aTokenOrANameMakesOneInstanceOnly() {
        String id = made("st-abcd-same-t1");
        assertThat(client.create("st-abcd-same-t1").path("id").asText()).isEqualTo(id);
        restart("{'traits': {'token': false}}");
        made("st-abcd-same-t1");
        assertThat(error(client.create("st-abcd-same-t1")).path("code").asText())
                .isEqualTo("name_taken");
        restart("{'traits': {'token': false, 'uniqueNames': false}}");
        assertThat(made("st-abcd-same-t1")).isNotEqualTo(made("st-abcd-same-t1"));
    }

    @Test
    void faultsComeAndGoOverHttp() throws IOException {
        assertThat(client.raw("POST", "/sim/faults", "[{\"operation\": \"list\", \"action\": \"html\"}]")
                        .statusCode())
                .isEqualTo(201);
        assertThat(client.raw("GET", "/v1/instances", "").body()).startsWith("<!DOCTYPE html>");
        assertThat(client.raw("DELETE", "/sim/faults", "").statusCode()).isEqualTo(200);
        assertThat(client.raw("GET", "/v1/instances", "").body()).startsWith("{");
        HttpResponse<String> wrong = client.raw("POST", "/sim/faults", "{\"operation\": \"list\"}");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("'action' must be one of");
    }

    @Test
    void strangersAreTurnedAway() throws IOException {
        Client stranger = new Client(simulator, "wrong");
        assertThat(stranger.raw("GET", "/v1/instances", "").statusCode()).isEqualTo(401);
        assertThat(stranger.raw("POST", "/v1/instances", "{}").statusCode()).isEqualTo(401);
        assertThat(client.raw("GET", "/v1/nonsense", "").statusCode()).isEqualTo(404);
        assertThat(client.raw("POST", "/v1/instances", "{nonsense").statusCode())
                .isEqualTo(400);
        assertThat(client.raw("POST", "/v1/instances", "{\"name\": \"A B\"}").statusCode())
                .isEqualTo(400);
        assertThat(client.raw("GET", "/v1/instances?cursor=x", "").statusCode()).isEqualTo(400);
    }

    @Test
    void aPortThatIsTakenIsSaid() {
        SimulatorOptions same =
                SimulatorOptions.of("steady").withPort(simulator.baseUri().getPort());
        assertThatThrownBy(() -> Simulator.start(same)).hasMessageContaining("cannot start on port");
    }
}
