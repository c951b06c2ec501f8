package dev.seatrial.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuCatalogueTest {
    private final GpuCatalogue catalogue = GpuCatalogue.load();

    @ParameterizedTest
    @CsvSource({
        "a100-sxm4-80g, A100-SXM4-80G",
        "NVIDIA A100-SXM4-80GB, A100-SXM4-80G",
        "NVIDIA H100 80GB HBM3, H100-SXM5-80G",
        "NVIDIA H100 PCIe, H100-PCIe-80G",
        "NVIDIA H200, H200-SXM-141G",
        "NVIDIA GeForce RTX 4090, RTX-4090",
        "NVIDIA GeForce RTX 4090 D, RTX-4090-D",
        "rtx4090d, RTX-4090-D",
        "RTX 4090 48 GB, RTX-4090-48G",
        "h20, H20-96G",
        "b200, B200-SXM-180G",
        "Tesla V100-SXM2-32GB, V100-SXM2-32G",
        "910b, Ascend-910B"
    })
    void findsAModelByAnyOfItsNames(String asked, String name) {
        assertThat(catalogue.find(asked)).map(GpuModel::name).contains(name);
    }

    @ParameterizedTest
    @CsvSource({
        "20b2, A100-SXM4-80G",
        "20F3, A800-SXM4-80G",
        "2685, RTX-4090-D",
        "2684, RTX-4090",
        "2335, H200-SXM-141G"
    })
    void findsAModelByPciId(String id, String name) {
        assertThat(catalogue.byPciId(id)).map(GpuModel::name).contains(name);
    }

    @Test
    void anotherMakersIdIsNotMistaken() {
        assertThat(catalogue.byPciId("1002", "20b2")).isEmpty();
        assertThat(catalogue.byPciId("1002", "74A1")).map(GpuModel::name).contains("MI300X");
    }

    @ParameterizedTest
    @CsvSource({"A100, A100-SXM4-80G", "A100-SXM4-80, A100-SXM4-80G", "RTX-409O, RTX-4090", "H2O0, H200-SXM-141G"})
    void suggestsWhatWasMeant(String typed, String meant) {
        assertThat(catalogue.isKnown(typed)).isFalse();
        assertThat(catalogue.suggestions(typed)).contains(meant).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void nonsenseHasNoSuggestion() {
        assertThat(catalogue.suggestions("")).isEmpty();
        assertThat(catalogue.suggestions("quantum-accelerator-9000")).isEmpty();
    }

    @Test
    void everyEntryIsUsable() {
        assertThat(catalogue.all()).allSatisfy(model -> {
            assertThat(model.name()).matches("[A-Za-z0-9-]+");
            assertThat(model.source()).isNotBlank();
            assertThat(model.pciIds()).isNotEmpty().allMatch(id -> id.matches("[0-9a-f]{4}"));
            assertThat(model.memoryGb()).isPositive();
            model.memoryMiB().ifPresent(mib -> assertThat(mib / 1024.0 / model.memoryGb())
                    .isBetween(0.9, 1.04));
        });
    }
}
