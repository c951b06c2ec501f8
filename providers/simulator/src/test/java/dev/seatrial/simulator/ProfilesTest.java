package dev.seatrial.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.simulator.Profiles.ProfileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class ProfilesTest {
    @ParameterizedTest
    @FieldSource("dev.seatrial.simulator.Profiles#BUILT_IN")
    void everyBuiltInProfileHasTheQuickstartsOffersAndStages(String name) {
        Profile profile = Profiles.load(name);
        assertThat(profile.name()).isEqualTo(name);
        assertThat(profile.currency()).isEqualTo("CNY");
        assertThat(profile.offers()).extracting(Profile.OfferSpec::gpus).containsExactly(1, 2, 8);
        assertThat(profile.offers()).allSatisfy(offer -> {
            assertThat(offer.gpu()).isEqualTo("A100-SXM4-80G");
            assertThat(offer.region()).isEqualTo("sim-1");
            assertThat(offer.hourly()).isPositive();
        });
        assertThat(profile.stages())
                .containsOnlyKeys("environment", "compute", "storage", "network", "interconnect", "stability", "task");
    }

    @Test
    void discountDiffersFromSteadyOnlyWhereItSaysSo() {
        Profile steady = Profiles.load("steady");
        Profile discount = Profiles.load("discount");
        assertThat(figure(discount, "matmul_bf16_sustained").value()).isEqualTo(171);
        assertThat(figure(discount, "matmul_bf16_sustained").perGpu()).isTrue();
        assertThat(figure(steady, "matmul_bf16_sustained").value()).isBetween(263.0, 271.0);
        assertThat(discount.machine().gpu().path("pcieWidth").asInt()).isEqualTo(4);
        assertThat(discount.machine().gpu().path("smCount").asInt()).isEqualTo(108);
        assertThat(discount.offers().get(0).hourly())
                .isLessThan(steady.offers().get(0).hourly());
    }

    private static Profile.Figure figure(Profile profile, String name) {
        Profile.Figure figure = profile.stages().get("compute").measurements().get(name);
        assertThat(figure).isNotNull();
        return figure;
    }

    @Test
    void aUsersFileStatesOnlyWhatDiffers(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("mine.json");
        Files.writeString(file, """
                {"extends": "discount", "name": "mine", "timing": {"boot": 60},
                 "stages": {"stability": {"asSpecified": true}}}""");
        Profile profile = Profiles.load(file.toString());
        assertThat(profile.timing().boot()).isEqualTo(60);
        assertThat(profile.timing().settle()).isEqualTo(2);
        assertThat(profile.stages().get("stability").asSpecified()).isTrue();
        assertThat(figure(profile, "matmul_bf16_sustained").value()).isEqualTo(171);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{|line 1",
                "[1]|a profile is a JSON object",
                "{'extends': '../../etc/passwd'}|'extends' must be one of",
                "{'timing': {'boot': 'soon'}}|timing.boot",
                "{'timing': {'bot': 1}}|timing.bot",
                "{'currency': null}|currency",
                "{'faults': [{'operation': 'list', 'action': 'sing'}]}|'action' must be one of"
            })
    void saysWhatIsWrongAndWhere(String text, String message) {
        assertThatThrownBy(() -> Profiles.parse(text.replace('\'', '"'), "mine.json"))
                .isInstanceOf(ProfileException.class)
                .hasMessageStartingWith("mine.json: ")
                .hasMessageContaining(message);
    }

    @Test
    void aWrongIncrementIsSaid() {
        String offer = """
                {"offers": [{"id": "x", "region": "r", "gpu": "g", "vendorGpu": "g", "gpus": 1, "hourly": 1, "increment": "week",
                 "minimumSeconds": 0, "refund": "", "stopped": "", "available": "yes"}]}""";
        assertThatThrownBy(() -> Profiles.parse(offer, "mine.json")).hasMessageContaining("increment must be second");
    }

    @Test
    void anUnknownNameIsSaid() {
        assertThatThrownBy(() -> Profiles.load("stedy"))
                .isInstanceOf(ProfileException.class)
                .hasMessageContaining("stedy")
                .hasMessageContaining("steady");
    }
}
