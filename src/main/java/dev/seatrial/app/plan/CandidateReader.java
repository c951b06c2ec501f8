package dev.seatrial.app.plan;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.bench.GpuModel;
import dev.seatrial.app.config.YamlTree.At;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.domain.plan.Candidate;
import dev.seatrial.domain.plan.Contract;
import dev.seatrial.domain.plan.StatedPrice;
import dev.seatrial.provider.BillingIncrement;
import dev.seatrial.provider.ProviderId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** Reads one candidate. */
final class CandidateReader {
    private static final String NAME = "[a-z0-9][a-z0-9-]{0,39}";

    private final Reading reading;
    private final GpuCatalogue gpus;
    private final At planGpu;
    private final Optional<Budget> budget;
    private final int largest;
    private boolean planGpuTold;

    /**
     * @param planGpu the plan's own {@code gpu}
     * @param largest GPUs of the largest machine that the plan asks for; what a price per GPU counts
     */
    CandidateReader(Reading reading, GpuCatalogue gpus, At planGpu, Optional<Budget> budget, int largest) {
        this.reading = reading;
        this.gpus = gpus;
        this.planGpu = planGpu;
        this.budget = budget;
        this.largest = largest;
    }

    static boolean isNone(String gpu) {
        return gpu.equalsIgnoreCase(Candidate.NO_GPU);
    }

    Optional<Candidate> read(At at) {
        Optional<String> gpu = gpu(at);
        Optional<BigMoney> cap = budget.flatMap(b -> reading.money(at.field("cap"), b.currency()));
        Optional<StatedPrice> price = price(at.field("price"));
        Optional<Contract> contract = contract(at.field("contract"));
        Map<String, String> promised = new HashMap<>();
        at.field("promised").fields().forEach(p -> p.scalar().ifPresent(v -> promised.put(p.name(), v)));
        Optional<String> provider = at.field("provider").text().filter(p -> p.matches(NAME));
        if (provider.isEmpty() || gpu.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Candidate(
                at.field("name").text().filter(n -> n.matches(NAME)).orElse(provider.get()),
                new ProviderId(provider.get()),
                at.field("region").text(),
                gpu.get(),
                at.field("image").text(),
                cap,
                price,
                promised,
                contract));
    }

    private Optional<String> gpu(At candidate) {
        At own = candidate.field("gpu");
        if (!own.present() && !planGpu.present()) {
            reading.problem(candidate, "plan.gpu.missing");
            return Optional.empty();
        }
        At at = own.present() ? own : planGpu;
        Optional<String> written = at.text().filter(t -> !t.isBlank());
        if (written.isEmpty() || isNone(written.get())) {
            return written.map(none -> Candidate.NO_GPU);
        }
        Optional<String> known = gpus.find(written.get()).map(GpuModel::name);
        // The plan's own GPU is told once, not for every candidate that uses it.
        if (known.isEmpty() && !(at == planGpu && planGpuTold)) {
            planGpuTold |= at == planGpu;
            List<String> near = gpus.suggestions(written.get());
            reading.hinted(
                    at,
                    "plan.gpu.unknown",
                    near.isEmpty()
                            ? reading.text("plan.gpu.none")
                            : reading.text("plan.guess", String.join(", ", near)),
                    written.get());
        }
        return known;
    }

    private Optional<StatedPrice> price(At at) {
        Optional<CurrencyUnit> currency = reading.currency(at.field("currency"));
        currency.ifPresent(c -> rate(at.field("currency"), c));
        Optional<BigMoney> amount = currency.flatMap(c -> reading.money(at.field("amount"), c));
        Optional<String> per = at.field("per").text();
        if (amount.isEmpty() || per.isEmpty()) {
            return Optional.empty();
        }
        BigMoney hourly = per.get().equals("gpu-hour") ? amount.get().multipliedBy(largest) : amount.get();
        BillingIncrement increment = at.field("increment")
                .text()
                .filter(w -> w.matches("second|minute|hour|day"))
                .map(w -> BillingIncrement.valueOf(w.toUpperCase(Locale.ROOT)))
                .orElse(BillingIncrement.SECOND);
        return Optional.of(new StatedPrice(
                hourly, increment, reading.duration(at.field("minimum")).orElse(Duration.ZERO)));
    }

    private Optional<Contract> contract(At at) {
        Optional<CurrencyUnit> stated = reading.currency(at.field("currency"));
        stated.ifPresent(c -> rate(at.field("currency"), c));
        Optional<CurrencyUnit> currency = stated.or(() -> budget.map(Budget::currency));
        Optional<BigMoney> month = currency.flatMap(c -> reading.money(at.field("month"), c));
        Optional<Integer> months = at.field("months").integer();
        if (month.isEmpty() || months.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Contract(
                month.get(),
                months.get(),
                currency.flatMap(c -> reading.money(at.field("deposit"), c)),
                at.field("penalty").text(),
                at.field("tax").text()));
    }

    private void rate(At at, CurrencyUnit currency) {
        if (budget.isPresent() && !budget.get().converts(currency)) {
            reading.problem(
                    at,
                    "plan.fx.missing",
                    currency.getCode(),
                    budget.get().currency().getCode());
        }
    }
}
