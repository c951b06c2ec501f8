package dev.seatrial.vendors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.vendors.VendorFactory.Setting;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is plugged in can be configured. */
class FactoriesTest {
    static Stream<VendorFactory> factories() {
        return ServiceLoader.load(VendorFactory.class).stream().map(ServiceLoader.Provider::get);
    }

    @Test
    void everyKindHasAWordOfItsOwn() {
        List<String> kinds = factories().map(VendorFactory::kind).toList();
        assertThat(kinds).contains("aliyun", "tencent").doesNotHaveDuplicates().allMatch(k -> k.matches("[a-z0-9-]+"));
    }

    @ParameterizedTest
    @MethodSource("factories")
    void settingsAreNamedOnceAndKeysAreSecrets(VendorFactory factory) {
        assertThat(factory.settings())
                .extracting(Setting::name)
                .doesNotHaveDuplicates()
                .doesNotContain("kind");
        assertThat(factory.settings())
                .allSatisfy(setting -> assertThat(setting.meaning()).isNotBlank());
        assertThat(factory.settings()).anyMatch(setting -> setting.secret() && setting.required());
        assertThat(factory.settings())
                .filteredOn(s -> s.name().matches("(?i).*(secret|token|password).*|api_?key"))
                .allMatch(Setting::secret);
    }

    @ParameterizedTest
    @MethodSource("factories")
    void anAccountNeedsItsKeyAndShowsNothingOfIt(VendorFactory factory) throws Exception {
        Map<String, String> plain = new HashMap<>();
        factory.settings().stream()
                .filter(s -> s.required() && !s.secret())
                .forEach(s -> plain.put(s.name(), "cn-beijing"));
        assertThatThrownBy(() -> factory.create(account(plain, Optional.empty())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missing");
        Provider provider = factory.create(account(plain, Optional.of("swordfish-31415926")));
        assertThat(provider.id().value()).isEqualTo("mine");
        assertThat(provider.toString()).doesNotContain("swordfish");
        assertThat(provider.capabilities().simulated()).isFalse();
        if (provider instanceof AutoCloseable open) {
            open.close();
        }
    }

    private static VendorAccount account(Map<String, String> plain, Optional<String> secret) {
        return new VendorAccount(new ProviderId("mine"), plain, name -> secret, Clock.systemUTC());
    }
}
