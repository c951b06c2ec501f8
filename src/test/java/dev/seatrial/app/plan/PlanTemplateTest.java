package dev.seatrial.app.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.plan.PlanTemplate.Answers;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Plan;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanTemplateTest {
    private static final CurrencyUnit CNY = CurrencyUnit.of("CNY");

    @TempDir
    Path dir;

    private Plan load(Answers answers, Locale locale) throws Exception {
        Path file = Files.writeString(dir.resolve("p.yaml"), PlanTemplate.write(answers, locale));
        return new YamlPlanLoader(InstantSource.system(), ZoneId.of("UTC"), GpuCatalogue.load(), Locale.ENGLISH)
                .load(file);
    }

    @Test
    void whatItWritesLoadsAndHoldsTheAnswers() throws Exception {
        for (Locale locale : List.of(Locale.ENGLISH, Locale.CHINESE)) {
            Plan plan = load(
                    new Answers(
                            "my-first",
                            "A100-SXM4-80G",
                            List.of("sim-steady", "sim-flaky"),
                            new BigDecimal("120.5"),
                            CNY,
                            List.of(8, 2)),
                    locale);
            assertThat(plan.name()).isEqualTo("my-first");
            assertThat(plan.budget().cap()).isEqualTo(BigMoney.parse("CNY 120.5"));
            assertThat(plan.candidates()).extracting(Candidate::name).containsExactly("sim-steady", "sim-flaky");
            assertThat(plan.multi().orElseThrow().gpus()).containsExactly(2, 8);
        }
    }

    @Test
    void namesThatYamlWouldReadAsSomethingElseStayNames() throws Exception {
        for (String name : List.of("null", "true", "123", "1e5", "no", "0x1f", "2026-01-01")) {
            Plan plan = load(
                    new Answers(name, "none", List.of(name), new BigDecimal("1E+2"), CNY, List.of()), Locale.ENGLISH);
            assertThat(plan.name()).isEqualTo(name);
            assertThat(plan.candidates().get(0).provider().value()).isEqualTo(name);
            assertThat(plan.multi()).isEmpty();
        }
    }

    @Test
    void answersThatMakeNoPlanAreRefused() {
        assertThatThrownBy(() -> new Answers("My plan", "none", List.of("a"), BigDecimal.ONE, CNY, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Answers("p", "none", List.of(), BigDecimal.ONE, CNY, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Answers("p", "none", List.of("a"), BigDecimal.ZERO, CNY, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Answers("p", "none", List.of("a"), BigDecimal.ONE, CNY, List.of(8)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
