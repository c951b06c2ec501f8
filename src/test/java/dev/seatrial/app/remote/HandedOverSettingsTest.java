package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.app.config.Secrets;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.ProviderId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandedOverSettingsTest {
    private static final Secrets SECRETS = new Secrets(Map.of("BOX_PASSWORD", "s3cret"), Path.of("/home/me"));

    @TempDir
    Path home;

    private static SshTarget ssh(String... pairs) {
        Map<String, String> settings = new HashMap<>(Map.of("kind", "ssh", "host", "box.example"));
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put(pairs[i], pairs[i + 1]);
        }
        return (SshTarget) HandedOverSettings.target("ssh", settings, SECRETS);
    }

    @Test
    void aHostAloneIsEnough() {
        SshTarget.Login login = ssh().login();
        assertThat(login.toString()).isEqualTo(System.getProperty("user.name") + "@box.example:22");
        assertThat(login.key()).isEmpty();
    }

    @Test
    void everythingCanBeSet() {
        String fingerprint = "SHA256:" + "a".repeat(43);
        SshTarget box = ssh(
                "port",
                "2222",
                "user",
                "ops",
                "key",
                "~/id",
                "password",
                "env:BOX_PASSWORD",
                "fingerprint",
                fingerprint,
                "gpu",
                "A100-SXM4-80G",
                "gpus",
                "8",
                "dir",
                "/data",
                "jump.host",
                "gate",
                "jump.user",
                "hop",
                "jump.port",
                "23");
        assertThat(box.login().key()).contains(Path.of("/home/me/id"));
        assertThat(box.login().password()).contains("s3cret");
        assertThat(box.login().fingerprint()).contains(fingerprint);
        assertThat(box.jump()).hasValueSatisfying(j -> {
            assertThat(j.toString()).isEqualTo("hop@gate:23");
            assertThat(j.key()).contains(Path.of("/home/me/id"));
            assertThat(j.password()).isEmpty();
        });
        assertThat(box.gpus()).isEqualTo(OptionalInt.of(8));
        assertThat(box.toString()).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource({
        "port,70000,port must be from 1 to 65535",
        "port,ssh,port must be a number",
        "host,ops@box,host must be a name or address",
        "fingerprint,MD5:aa:bb,fingerprint must be SHA256",
        "password,env:NOT_SET,NOT_SET is not set",
        "password,hunter2,env:NAME or file:PATH",
        "dir,relative,dir must be an absolute path",
        "gpus,many,gpus must be a number",
        "jump.user,x,jump.host is missing"
    })
    void whatCannotBeRightIsSaid(String name, String value, String words) {
        assertThatThrownBy(() -> ssh(name, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words)
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void pricesNeedAKnownCurrency() {
        assertThat(HandedOverSettings.hourly(Map.of("price", "28.5", "currency", "USD"))
                        .toString())
                .isEqualTo("USD 28.5");
        assertThat(HandedOverSettings.hourly(Map.of()).isZero()).isTrue();
        assertThatThrownBy(() -> HandedOverSettings.hourly(Map.of("price", "1", "currency", "XYZ9")))
                .hasMessageContaining("no such currency");
        assertThatThrownBy(() -> HandedOverSettings.hourly(Map.of("price", "dear")))
                .hasMessageContaining("must be a number");
    }

    @Test
    void anOfferIsWhatThePlanAsksForUnlessTheMachineIsDescribed() {
        assertThat(offer(Map.of(), Optional.of("A100-SXM4-80G"), OptionalInt.of(2)))
                .hasValueSatisfying(o -> assertThat(o.gpuCount()).isEqualTo(2));
        assertThat(offer(Map.of(), Optional.empty(), OptionalInt.empty()))
                .hasValueSatisfying(o -> assertThat(o.gpuCount()).isZero());
        Map<String, String> described = Map.of("gpu", "A100-SXM4-80G", "gpus", "8");
        assertThat(offer(described, Optional.of("A100-SXM4-80G"), OptionalInt.empty()))
                .hasValueSatisfying(o -> assertThat(o.gpuCount()).isEqualTo(8));
        assertThat(offer(described, Optional.of("H100-SXM5-80G"), OptionalInt.empty()))
                .isEmpty();
    }

    private Optional<Offer> offer(Map<String, String> settings, Optional<String> gpu, OptionalInt gpus) {
        Target target = HandedOverSettings.target("local", settings, SECRETS);
        try (Machines machines = new Machines(new FileLeaseKeys(home), p -> Optional.of(target))) {
            return new BorrowedProvider(
                            new ProviderId("this-machine"),
                            target,
                            machines,
                            new HandedOver(home),
                            HandedOverSettings.hourly(settings))
                    .offers(new OfferQuery(gpu, gpus, Optional.empty())).stream()
                            .findFirst();
        }
    }
}
