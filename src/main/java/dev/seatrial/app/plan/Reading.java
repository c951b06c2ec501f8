package dev.seatrial.app.plan;

import dev.seatrial.app.config.Guess;
import dev.seatrial.app.config.Messages;
import dev.seatrial.app.config.Problem;
import dev.seatrial.app.config.YamlTree;
import dev.seatrial.app.config.YamlTree.At;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;

/** One pass over a plan: the document, the words, and the problems found so far. */
final class Reading {
    private static final Duration LONGEST = Duration.ofDays(30);

    private final YamlTree tree;
    private final Messages words;
    private final List<Problem> problems = new ArrayList<>();

    Reading(YamlTree tree, Messages words) {
        this.tree = tree;
        this.words = words;
    }

    At root() {
        return tree.root();
    }

    List<Problem> problems() {
        return problems;
    }

    /** Notes a problem; the bundle's {@code key.hint}, where there is one, says what would be right. */
    void problem(At at, String key, Object... args) {
        hinted(at, key, words.has(key + ".hint") ? words.text(key + ".hint", args) : "", args);
    }

    void hinted(At at, String key, String hint, Object... args) {
        problems.add(tree.problem(at, words.text(key, args), hint));
    }

    String text(String key, Object... args) {
        return words.text(key, args);
    }

    /** A length of time above zero. */
    Optional<Duration> duration(At at) {
        Optional<Duration> length = at.text().flatMap(Durations::parse);
        if (length.isPresent() && (length.get().isZero() || length.get().compareTo(LONGEST) > 0)) {
            problem(at, "plan.duration", Durations.format(LONGEST));
            return Optional.empty();
        }
        return length;
    }

    Optional<CurrencyUnit> currency(At at) {
        return at.text().filter(code -> code.matches("[A-Z]{3}")).flatMap(code -> currency(at, code));
    }

    /** @param at whatever names the currency, a field's name or a value */
    Optional<CurrencyUnit> currency(At at, String code) {
        try {
            return Optional.of(CurrencyUnit.of(code));
        } catch (IllegalCurrencyException e) {
            // What Chinese plans are most likely to say first.
            Optional<String> meant = code.equals("RMB")
                    ? Optional.of("CNY")
                    : Guess.of(code, List.of("CNY", "USD", "EUR", "GBP", "HKD", "SGD", "JPY", "INR"));
            hinted(
                    at,
                    "plan.currency",
                    meant.map(m -> words.text("plan.guess", m)).orElse(""),
                    code);
            return Optional.empty();
        }
    }

    /** Money with at most six decimals, so that the ledger can hold it exactly. */
    Optional<BigMoney> money(At at, CurrencyUnit currency) {
        return decimal(at).map(n -> BigMoney.of(currency, n));
    }

    /** A number without needless zeros, so that 900 and 900.00 make the same plan. */
    Optional<BigDecimal> decimal(At at) {
        Optional<BigDecimal> number = at.number().map(Reading::plain);
        if (number.isPresent() && number.get().scale() > 6) {
            problem(at, "plan.decimals");
            return Optional.empty();
        }
        return number;
    }

    private static BigDecimal plain(BigDecimal n) {
        BigDecimal bare = n.stripTrailingZeros();
        return bare.scale() < 0 ? bare.setScale(0) : bare;
    }
}
