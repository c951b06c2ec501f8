package dev.seatrial.app.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of the report in one language. Chinese locales read 中文, all others English.
 *
 * @param language {@code en} or {@code zh}
 * @param words text by key
 */
record Messages(String language, Map<String, String> words) {
    private static final Pattern PLACE = Pattern.compile("\\{([0-9])}");

    Messages {
        words = Map.copyOf(words);
    }

    static Messages of(Locale locale) {
        String language = locale.getLanguage().equals("zh") ? "zh" : "en";
        String file = "/report/messages_" + language + ".properties";
        try (InputStream in = Messages.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("missing " + file);
            }
            Properties read = new Properties();
            read.load(new InputStreamReader(in, StandardCharsets.UTF_8));
            Map<String, String> words = new HashMap<>();
            read.stringPropertyNames().forEach(key -> words.put(key, read.getProperty(key)));
            return new Messages(language, words);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /** The text with {@code {0}} to {@code {9}} filled in. @throws IllegalArgumentException for an unknown key */
    String text(String key, Object... values) {
        String pattern = words.get(key);
        if (pattern == null) {
            throw new IllegalArgumentException("no text for " + key);
        }
        // One pass, so that a value that holds "{1}" stays as it is.
        return PLACE.matcher(pattern).replaceAll(found -> {
            int at = Integer.parseInt(found.group(1));
            return Matcher.quoteReplacement(at < values.length ? String.valueOf(values[at]) : found.group());
        });
    }

    /** The text, or {@code otherwise} when this bundle does not know the key. */
    String orElse(String key, String otherwise) {
        return words.getOrDefault(key, otherwise);
    }

    Locale locale() {
        return language.equals("zh") ? Locale.SIMPLIFIED_CHINESE : Locale.ENGLISH;
    }
}
