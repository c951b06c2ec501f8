package dev.seatrial.app.config;

import java.text.MessageFormat;
import java.util.Arrays;
import java.util.Locale;
import java.util.ResourceBundle;

/** Words for users from a bundle, in one language. English where a language has none. */
public final class Messages {
    private final ResourceBundle bundle;
    private final Locale locale;

    /**
     * @param bundle base name, e.g. {@code plan.messages}
     * @param locale language
     */
    public Messages(String bundle, Locale locale) {
        this.bundle = ResourceBundle.getBundle(
                bundle,
                locale,
                Messages.class.getClassLoader(),
                // The default locale must not decide what somebody who asked for English reads.
                ResourceBundle.Control.getNoFallbackControl(ResourceBundle.Control.FORMAT_PROPERTIES));
        this.locale = locale;
    }

    public Locale locale() {
        return locale;
    }

    /** The text with {@code {0}}, {@code {1}}, … filled in as they are: numbers are not grouped. */
    public String text(String key, Object... args) {
        Object[] words = Arrays.stream(args).map(String::valueOf).toArray();
        return new MessageFormat(bundle.getString(key), locale).format(words);
    }

    /** The text as it stands in the bundle, for those who fill it in themselves. */
    public String raw(String key) {
        return bundle.getString(key);
    }

    public boolean has(String key) {
        return bundle.containsKey(key);
    }
}
