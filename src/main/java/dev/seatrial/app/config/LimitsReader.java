package dev.seatrial.app.config;

import dev.seatrial.app.config.YamlTree.At;
import dev.seatrial.domain.money.SpendLimit;
import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimits;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;

/** Reads what may be spent over all evaluations. */
final class LimitsReader {
    private static final List<String> FIELDS = List.of("currency", "zone", "fx", "day", "month", "accounts");
    private static final List<String> OF_ACCOUNT = List.of("day", "month", "keepBalance");

    /** Accounts that exist without configuration. */
    private static final Pattern BUILT_IN = Pattern.compile("sim-[a-z]+|this-machine");

    private final YamlTree tree;
    private final Messages words;
    private final Set<String> accounts;
    private final List<Problem> problems;

    /** @param accounts names of the configured accounts */
    LimitsReader(YamlTree tree, Messages words, Set<String> accounts, List<Problem> problems) {
        this.tree = tree;
        this.words = words;
        this.accounts = accounts;
        this.problems = problems;
    }

    /** Empty when there are none, and whenever a problem was noted. */
    Optional<SpendLimits> read(At at) {
        if (!at.present()) {
            return Optional.empty();
        }
        if (!at.node().isObject()) {
            problems.add(tree.problem(at, words.text("settings.limits.map"), fields(FIELDS)));
            return Optional.empty();
        }
        known(at, FIELDS);
        Optional<CurrencyUnit> currency = currency(at);
        ZoneId zone = zone(at.field("zone"));
        if (currency.isEmpty()) {
            return Optional.empty();
        }
        List<SpendLimit> limits = new ArrayList<>();
        money(at.field("day"), Optional.empty(), Period.DAY, currency.get(), limits);
        money(at.field("month"), Optional.empty(), Period.MONTH, currency.get(), limits);
        for (At account : at.field("accounts").fields()) {
            account(account, currency.get(), limits);
        }
        Map<String, BigDecimal> fx = rates(at.field("fx"), currency.get());
        return problems.isEmpty() ? Optional.of(new SpendLimits(currency.get(), zone, fx, limits)) : Optional.empty();
    }

    private void account(At at, CurrencyUnit currency, List<SpendLimit> limits) {
        if (!accounts.contains(at.name()) && !BUILT_IN.matcher(at.name()).matches()) {
            String hint = Guess.of(at.name(), accounts)
                    .map(g -> words.text("settings.guess", g))
                    .orElse(words.text("settings.oneof", String.join(", ", accounts)));
            problems.add(tree.fieldProblem(at, words.text("settings.limits.account", at.name()), hint));
        }
        Optional<String> name = Optional.of(at.name());
        if (!at.node().isObject()) {
            money(at, name, Period.MONTH, currency, limits);
            return;
        }
        known(at, OF_ACCOUNT);
        money(at.field("day"), name, Period.DAY, currency, limits);
        money(at.field("month"), name, Period.MONTH, currency, limits);
        money(at.field("keepBalance"), name, Period.BALANCE, currency, limits);
    }

    private void money(At at, Optional<String> account, Period period, CurrencyUnit currency, List<SpendLimit> limits) {
        if (!at.present()) {
            return;
        }
        int places = currency.getDecimalPlaces();
        at.number()
                .filter(n -> n.signum() >= 0 && n.stripTrailingZeros().scale() <= places && n.precision() <= 18)
                .ifPresentOrElse(
                        n -> limits.add(new SpendLimit(account, period, BigMoney.of(currency, n))),
                        () -> problems.add(tree.problem(
                                at,
                                words.text("settings.limits.money", currency, places),
                                account.isPresent() ? words.text("settings.limits.account.hint") : "")));
    }

    private Optional<CurrencyUnit> currency(At limits) {
        At at = limits.field("currency");
        if (!at.present()) {
            problems.add(tree.problem(at, words.text("settings.limits.currency.missing"), "currency: CNY"));
            return Optional.empty();
        }
        Optional<CurrencyUnit> currency = at.text().flatMap(LimitsReader::unit);
        if (currency.isEmpty()) {
            problems.add(tree.problem(at, words.text("settings.limits.currency"), ""));
        }
        return currency;
    }

    private Map<String, BigDecimal> rates(At fx, CurrencyUnit currency) {
        Map<String, BigDecimal> rates = new TreeMap<>();
        for (At rate : fx.fields()) {
            Optional<BigDecimal> number = rate.number().filter(n -> n.signum() > 0);
            if (unit(rate.name()).filter(u -> !u.equals(currency)).isEmpty()) {
                problems.add(tree.fieldProblem(rate, words.text("settings.limits.currency"), ""));
            } else if (number.isEmpty()) {
                problems.add(tree.problem(rate, words.text("settings.limits.rate", currency), ""));
            } else {
                rates.put(rate.name(), number.get().stripTrailingZeros());
            }
        }
        return rates;
    }

    private static Optional<CurrencyUnit> unit(String code) {
        try {
            return Optional.of(CurrencyUnit.of(code));
        } catch (IllegalCurrencyException e) {
            return Optional.empty();
        }
    }

    private ZoneId zone(At at) {
        if (!at.present()) {
            return ZoneId.systemDefault();
        }
        try {
            return ZoneId.of(at.text().orElse(""));
        } catch (DateTimeException e) {
            problems.add(tree.problem(at, words.text("settings.limits.zone"), words.text("settings.limits.zone.hint")));
            return ZoneId.systemDefault();
        }
    }

    private void known(At at, List<String> names) {
        for (At field : at.fields()) {
            if (!names.contains(field.name())) {
                String hint = Guess.of(field.name(), names)
                        .map(g -> words.text("settings.guess", g))
                        .orElse(fields(names));
                problems.add(tree.fieldProblem(field, words.text("settings.unknown"), hint));
            }
        }
    }

    private String fields(List<String> names) {
        return words.text("settings.fields", String.join(", ", names));
    }
}
