package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.Accounting;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.domain.plan.Budget;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the configured vendors rent, cheapest first; one vendor's failure does not hide the others. */
@Command(name = "offers", mixinStandardHelpOptions = true)
final class OffersCommand extends Base {
    @Option(names = "--gpu", paramLabel = "MODEL", descriptionKey = "gpu")
    Optional<String> gpu = Optional.empty();

    @Option(names = "--count", paramLabel = "N", descriptionKey = "count")
    Optional<Integer> count = Optional.empty();

    @Option(names = "--currency", defaultValue = "CNY", paramLabel = "CODE", descriptionKey = "currency")
    String currency = "CNY";

    @Option(names = "--fx", paramLabel = "CODE=RATE", descriptionKey = "fx")
    List<String> fx = List.of();

    @Override
    int run(Ui ui) throws Problem {
        Budget rates = rates(ui);
        try (Accounting accounts = Accounting.open(settings(ui), Clock.systemUTC())) {
            ObjectNode doc = JsonNodeFactory.instance.objectNode();
            ArrayNode failures = doc.putArray("failures");
            List<Offer> offers = new ArrayList<>();
            OfferQuery query =
                    new OfferQuery(gpu, count.map(OptionalInt::of).orElse(OptionalInt.empty()), Optional.empty());
            for (ProviderId id : accounts.providers().names()) {
                try {
                    Provider provider = accounts.providers().get(id);
                    if (!provider.capabilities().borrowed()) {
                        offers.addAll(provider.offers(query));
                    }
                } catch (ProviderException e) {
                    failed(ui, failures, id, e.kind() + ": " + e.words());
                } catch (Providers.ConfigException e) {
                    failed(ui, failures, id, String.valueOf(e.getMessage()));
                }
            }
            offers.sort(Comparator.comparing(
                            (Offer o) -> rates.converts(o.pricing().hourly().getCurrencyUnit())
                                    ? rates.convertUp(o.pricing().totalHourly()).getAmount()
                                    : BigDecimal.valueOf(Long.MAX_VALUE))
                    .thenComparing(o -> o.provider().value()));
            ArrayNode list = doc.putArray("offers");
            offers.forEach(o -> show(ui, rates, o, list.addObject()));
            if (offers.isEmpty()) {
                ui.out(ui.say("offers.none"));
            }
            ui.document(doc);
            return offers.isEmpty() ? ExitCode.FAILED : ExitCode.OK;
        }
    }

    private static void failed(Ui ui, ArrayNode failures, ProviderId id, String why) {
        ui.err(ui.say("offers.failed", id, why));
        failures.addObject().put("provider", id.value()).put("why", why);
    }

    private static void show(Ui ui, Budget rates, Offer o, ObjectNode node) {
        boolean converts = rates.converts(o.pricing().hourly().getCurrencyUnit());
        BigMoney price = converts
                ? rates.convertUp(o.pricing().totalHourly())
                : o.pricing().totalHourly();
        node.put("provider", o.provider().value());
        node.put("offer", o.id().value());
        node.put("region", o.region());
        node.put("gpu", o.gpu());
        node.put("gpus", o.gpuCount());
        node.put("hourly", o.pricing().totalHourly().toString());
        node.put("increment", o.pricing().increment().name().toLowerCase(java.util.Locale.ROOT));
        node.put("minimumSeconds", o.pricing().minimumBilling().toSeconds());
        node.put("availability", o.availability().name());
        ui.out(ui.say(
                "offers.line",
                o.provider(),
                o.region(),
                o.gpu(),
                o.gpuCount(),
                price.getAmount().setScale(2, RoundingMode.UP).toPlainString() + " " + price.getCurrencyUnit(),
                o.pricing().increment().name().toLowerCase(java.util.Locale.ROOT),
                o.availability()));
    }

    private Budget rates(Ui ui) throws Problem {
        Map<String, BigDecimal> map = new HashMap<>();
        for (String rate : fx) {
            String[] parts = rate.split("=", 2);
            try {
                map.put(CurrencyUnit.of(parts[0]).getCode(), new BigDecimal(parts.length == 2 ? parts[1] : ""));
            } catch (NumberFormatException | IllegalCurrencyException e) {
                throw new Problem(ExitCode.USAGE, ui.say("offers.fx", rate));
            }
        }
        try {
            return new Budget(BigMoney.of(CurrencyUnit.of(currency), BigDecimal.ONE), map);
        } catch (IllegalCurrencyException e) {
            throw new Problem(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }
}
