package dev.seatrial.app.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.app.config.Secrets;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.provider.Providers.ConfigException;
import dev.seatrial.app.remote.BorrowedProvider;
import dev.seatrial.app.remote.FileLeaseKeys;
import dev.seatrial.app.remote.HandedOver;
import dev.seatrial.app.remote.Machines;
import dev.seatrial.app.remote.SshTarget;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.OptionalInt;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfiguredProvidersTest {
    private static final ProviderId STEADY = new ProviderId("sim-steady");

    @TempDir
    Path dir;

    private final java.util.List<AutoCloseable> open = new java.util.ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private ConfiguredProviders providers(Map<String, Map<String, String>> accounts) {
        Settings settings = new Settings(dir, dir.resolve("config.yaml"), accounts);
        Secrets secrets = new Secrets(Map.of("PW", "geheim"), dir);
        Targets targets = new Targets(settings, secrets);
        Machines machines = new Machines(new FileLeaseKeys(dir.resolve("keys")), targets::of);
        ConfiguredProviders providers = new ConfiguredProviders(
                settings,
                secrets,
                targets,
                InstantSource.system(),
                (id, target) -> new BorrowedProvider(
                        id, target, machines, new HandedOver(dir.resolve("handed-over")), BigMoney.parse("CNY 0")));
        open.add(providers);
        return providers;
    }

    @Test
    void simulatedVendorsAndThisMachineExistWithoutConfiguration() {
        ConfiguredProviders providers = providers(Map.of());
        assertThat(providers.names())
                .extracting(ProviderId::value)
                .containsExactly("sim-steady", "sim-discount", "sim-flaky", "this-machine");
        Provider steady = providers.get(STEADY);
        assertThat(steady.verify().missing()).isEmpty();
        assertThat(steady.capabilities().simulated()).isTrue();
        assertThat(steady.offers(OfferQuery.ALL)).isNotEmpty();
        assertThat(providers.get(STEADY)).isSameAs(steady);
        assertThat(providers.get(new ProviderId("this-machine")).capabilities().borrowed())
                .isTrue();
        assertThat(providers.kind(new ProviderId("this-machine"))).isEqualTo("local");
    }

    @Test
    void eachSimulatedVendorHasItsOwnCloudThatEndsWithTheApplication() {
        ConfiguredProviders providers = providers(Map.of());
        Provider steady = providers.get(STEADY);
        Provider flaky = providers.get(new ProviderId("sim-flaky"));
        assertThat(flaky.offers(OfferQuery.ALL).get(0).pricing())
                .isNotEqualTo(steady.offers(OfferQuery.ALL).get(0).pricing());
        assertThat(providers.simulator(STEADY)).isPresent();
        assertThat(providers.simulator(new ProviderId("sim-discount"))).isEmpty();

        providers.close();
        assertThatThrownBy(steady::verify).isInstanceOf(ProviderException.class);
    }

    @Test
    void aSimulatorElsewhereIsReachedByItsAddress() {
        Simulator elsewhere = Simulator.start(SimulatorOptions.of("discount").withApiKey("geheim"));
        open.add(elsewhere);
        ConfiguredProviders providers = providers(
                Map.of("sim-steady", Map.of("kind", "sim", "url", elsewhere.baseUri() + "/", "apiKey", "env:PW")));
        assertThat(providers.get(STEADY).verify().missing()).isEmpty();
        assertThat(providers.simulator(STEADY)).as("none in this process").isEmpty();
    }

    @Test
    void accountsThatCannotBeUsedSayWhy() {
        ConfiguredProviders providers = providers(Map.of(
                "lost", Map.of("kind", "sim", "url", "http://127.0.0.1:1", "apiKey", "env:NOT_SET"),
                "both", Map.of("kind", "sim", "url", "http://127.0.0.1:1", "profile", "steady"),
                "typo", Map.of("kind", "sim", "profile", "stedy"),
                "where", Map.of("kind", "sim", "url", "nowhere"),
                "port", Map.of("kind", "ssh", "host", "h", "port", "99999")));
        assertThatThrownBy(() -> providers.get(new ProviderId("nobody")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("no account is called nobody");
        assertThatThrownBy(() -> providers.get(new ProviderId("lost")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("lost: the environment variable NOT_SET is not set");
        for (String name : new String[] {"both", "typo", "where", "port"}) {
            assertThatThrownBy(() -> providers.get(new ProviderId(name)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith(name + ": ");
        }
    }

    @Test
    void aHandedOverMachineIsReadWithJumpHostAndSecrets() {
        Settings settings = new Settings(
                dir,
                dir,
                Map.of(
                        "box",
                        Map.of(
                                "kind", "ssh",
                                "host", "10.0.0.7",
                                "user", "root",
                                "password", "env:PW",
                                "key", "~/id",
                                "gpus", "8",
                                "price", "28.5",
                                "jump.host", "gate",
                                "jump.port", "2222")));
        SshTarget target = (SshTarget) new Targets(settings, new Secrets(Map.of("PW", "geheim"), dir))
                .of("box")
                .orElseThrow();
        assertThat(target.login().port()).isEqualTo(22);
        assertThat(target.login().password()).contains("geheim");
        assertThat(target.login().key()).contains(dir.resolve("id"));
        assertThat(target.gpus()).isEqualTo(OptionalInt.of(8));
        assertThat(target.jump().orElseThrow()).hasToString("root@gate:2222");
        assertThat(new Targets(settings, new Secrets(Map.of(), dir)).of("sim-steady"))
                .isEmpty();
    }

    @Test
    void everyKindHasSettings() {
        assertThat(Kinds.settings()).containsKeys("sim", "ssh", "local");
        assertThat(Kinds.settings().get("ssh"))
                .filteredOn(s -> s.required())
                .extracting(s -> s.name())
                .containsExactly("host");
    }
}
