package dev.seatrial.app.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.MissingResourceException;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The bundle of this package's texts, and numbers as people read them. */
final class Words {
    private static final Pattern HOLE = Pattern.compile("\\{([A-Za-z0-9_]+)}");

    private Words() {}

    /** The text of a key with its holes filled; a hole without a value stays a question mark. Empty for unknown keys. */
    static Optional<String> text(String key, Map<String, String> values, Locale locale) {
        try {
            String template = bundle(locale).getString(key);
            Matcher holes = HOLE.matcher(template);
            return Optional.of(
                    holes.replaceAll(hole -> Matcher.quoteReplacement(values.getOrDefault(hole.group(1), "?"))));
        } catch (MissingResourceException e) {
            return Optional.empty();
        }
    }

    static String sure(String key, Map<String, String> values, Locale locale) {
        return text(key, values, locale).orElse(key);
    }

    /** The values with metrics by their names as people read them. */
    static Map<String, String> named(Map<String, String> values, Locale locale) {
        Map<String, String> named = new LinkedHashMap<>(values);
        for (String key : List.of("metric", "metrics", "promise")) {
            named.computeIfPresent(key, (k, names) -> Arrays.stream(names.split(", "))
                    .map(name -> metric(name, locale))
                    .collect(Collectors.joining(chinese(locale) ? "、" : ", ")));
        }
        return named;
    }

    /** A metric's or a promise's name as people read it; names without one stay as they are. */
    static String metric(String name, Locale locale) {
        return text("metric." + name, Map.of(), locale).orElse(name);
    }

    /** Whether texts of a locale are Chinese; everything else reads English. */
    static boolean chinese(Locale locale) {
        return locale.getLanguage().equals(Locale.CHINESE.getLanguage());
    }

    /** A figure with as many digits as say something. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "?";
        }
        BigDecimal exact = BigDecimal.valueOf(value);
        double size = Math.abs(value);
        BigDecimal round = size >= 100
                ? exact.setScale(0, RoundingMode.HALF_UP)
                : size >= 10
                        ? exact.setScale(1, RoundingMode.HALF_UP)
                        : size >= 0.1
                                ? exact.setScale(2, RoundingMode.HALF_UP)
                                : exact.round(new MathContext(2, RoundingMode.HALF_UP));
        return round.signum() == 0 ? "0" : round.stripTrailingZeros().toPlainString();
    }

    /** A share in percent; with a decimal only where whole percents would contradict the bar it is held against. */
    static String percent(double share, double bar) {
        long whole = Math.round(share * 100);
        boolean contradicts = share < bar ? whole >= Math.round(bar * 100) : whole < Math.round(bar * 100);
        if (!contradicts || Double.isNaN(bar)) {
            return Long.toString(whole);
        }
        RoundingMode towards = share < bar ? RoundingMode.FLOOR : RoundingMode.CEILING;
        return BigDecimal.valueOf(share * 100).setScale(1, towards).toPlainString();
    }

    private static ResourceBundle bundle(Locale locale) {
        return ResourceBundle.getBundle(
                "bench.texts",
                chinese(locale) ? Locale.CHINESE : Locale.ROOT,
                ResourceBundle.Control.getNoFallbackControl(ResourceBundle.Control.FORMAT_PROPERTIES));
    }
}
