package dev.seatrial.app.plan;

import dev.seatrial.app.config.Messages;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.joda.money.CurrencyUnit;

/** Writes a plan to begin with, from the answers to five questions. Every plan it writes loads. */
public final class PlanTemplate {
    private PlanTemplate() {}

    /**
     * The five answers.
     *
     * @param name the plan's name, {@code [a-z0-9-]}, 1 to 60
     * @param gpu a GPU of the catalogue, or {@code none}
     * @param providers accounts to be tried, at least one, each once
     * @param cap most it may cost, above zero
     * @param currency of the cap
     * @param gpuCounts GPU counts beyond one, each 2 to 64; empty = one GPU is enough
     */
    public record Answers(
            String name,
            String gpu,
            List<String> providers,
            BigDecimal cap,
            CurrencyUnit currency,
            List<Integer> gpuCounts) {
        /** @throws IllegalArgumentException for an answer that makes no plan */
        public Answers {
            providers = List.copyOf(providers);
            gpuCounts = gpuCounts.stream().sorted().distinct().toList();
            require(name.matches("[a-z0-9][a-z0-9-]{0,59}"), "a name has 1 to 60 of a-z, 0-9 and -: " + name);
            require(!gpu.isBlank() && gpu.length() <= 60, "no GPU named");
            require(!providers.isEmpty() && providers.size() <= 20, "1 to 20 accounts");
            require(providers.stream().distinct().count() == providers.size(), "an account is named twice");
            providers.forEach(p -> require(p.matches("[a-z0-9][a-z0-9-]{0,39}"), "no account's name: " + p));
            require(cap.signum() > 0 && cap.stripTrailingZeros().scale() <= 6, "the cap must be above zero");
            require(gpuCounts.size() <= 5, "five GPU counts at most");
            gpuCounts.forEach(n -> require(n >= 2 && n <= 64, "GPU counts are 2 to 64: " + n));
            require(gpuCounts.isEmpty() || !gpu.equalsIgnoreCase("none"), "several GPUs, but no GPU");
        }

        private static void require(boolean fine, String otherwise) {
            if (!fine) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }

    /** @param locale language of the remarks */
    public static String write(Answers answers, Locale locale) {
        Messages words = new Messages("plan.messages", locale);
        StringBuilder yaml = new StringBuilder();
        remark(yaml, words.text("template.look"));
        line(yaml, "plan: " + quoted(answers.name()));
        line(yaml, "gpu: " + quoted(answers.gpu()));
        line(yaml, "preset: quick");
        remark(yaml, words.text("template.cap"));
        line(
                yaml,
                "budget: { cap: " + answers.cap().toPlainString() + ", currency: "
                        + answers.currency().getCode() + " }");
        line(yaml, "candidates:");
        answers.providers().forEach(p -> line(yaml, "  - { provider: " + quoted(p) + " }"));
        multi(answers).ifPresent(counts -> {
            line(yaml, "phases:");
            remark(yaml, words.text("template.multi"));
            line(
                    yaml,
                    "  multi: { gpus: " + counts + ", stages: [environment, compute, interconnect], escalate: auto }");
        });
        line(yaml, "limits: { provisioning: 20m }");
        return yaml.toString();
    }

    private static Optional<String> multi(Answers answers) {
        return answers.gpuCounts().isEmpty()
                ? Optional.empty()
                : Optional.of(answers.gpuCounts().toString());
    }

    /** Names may look like numbers or null to YAML. */
    private static String quoted(String text) {
        return text.matches("[A-Za-z][A-Za-z0-9-]*") && !text.matches("(?i)null|true|false")
                ? text
                : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static void remark(StringBuilder yaml, String text) {
        yaml.append("# ").append(text).append('\n');
    }

    private static void line(StringBuilder yaml, String text) {
        yaml.append(text).append('\n');
    }
}
