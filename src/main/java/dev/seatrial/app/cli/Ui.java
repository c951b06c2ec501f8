package dev.seatrial.app.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Locale;
import java.util.MissingResourceException;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal: words in the user's language, results on standard output, everything else on standard error. */
public final class Ui {
    static final String BUNDLE = "cli.messages";
    private static final Pattern PLACE = Pattern.compile("\\{([0-9])}");

    private final PrintStream out;
    private final PrintStream err;
    private final Locale locale;
    private final boolean json;
    private final ResourceBundle words;
    private final AtomicBoolean printed = new AtomicBoolean();

    Ui(PrintStream out, PrintStream err, Locale locale, boolean json) {
        this.out = out;
        this.err = err;
        this.locale = locale;
        this.json = json;
        this.words = bundle(locale);
    }

    static ResourceBundle bundle(Locale locale) {
        return ResourceBundle.getBundle(
                BUNDLE, locale, ResourceBundle.Control.getNoFallbackControl(ResourceBundle.Control.FORMAT_PROPERTIES));
    }

    Locale locale() {
        return locale;
    }

    boolean json() {
        return json;
    }

    /** A message of the bundle with its places filled in as they are: numbers are not grouped, apostrophes stay. */
    String say(String key, Object... args) {
        try {
            // One pass, so that a value that holds "{1}" stays as it is.
            return PLACE.matcher(words.getString(key)).replaceAll(found -> {
                int at = Integer.parseInt(found.group(1));
                return Matcher.quoteReplacement(at < args.length ? String.valueOf(args[at]) : found.group());
            });
        } catch (MissingResourceException e) {
            return key;
        }
    }

    boolean has(String key) {
        return words.containsKey(key);
    }

    /** A line of the result; nothing in JSON mode, where the document is the result. */
    void out(String line) {
        if (!json) {
            out.println(line);
            out.flush();
        }
    }

    /** A line about what is going on. */
    void err(String line) {
        err.println(line);
        err.flush();
    }

    PrintStream errStream() {
        return err;
    }

    /** The one JSON document; a second one, of whoever comes too late, is dropped. */
    void document(JsonNode node) {
        if (json && printed.compareAndSet(false, true)) {
            try {
                out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(node));
                out.flush();
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a JSON tree cannot be written", e);
            }
        }
    }

    /**
     * Says what failed and why, and what to do next; in JSON mode the document is {@code {"error": …}}.
     *
     * @return the exit code, for the caller to return
     */
    int problem(int code, String what, Optional<String> next) {
        err(say("problem", what));
        next.ifPresent(n -> err(say("next", n)));
        if (json) {
            ObjectNode doc = JsonNodeFactory.instance.objectNode();
            ObjectNode error = doc.putObject("error");
            error.put("exitCode", code);
            error.put("message", what);
            next.ifPresent(n -> error.put("next", n));
            document(doc);
        }
        return code;
    }
}
