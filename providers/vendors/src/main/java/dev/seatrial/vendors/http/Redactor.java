package dev.seatrial.vendors.http;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Takes secrets out of texts, and makes texts of strangers fit to be shown. */
public final class Redactor {
    private static final int LONGEST = 400;
    private static final String GONE = "***";
    /** Something after such a word that holds a digit: "token expired" stays readable. */
    private static final Pattern CREDENTIAL = Pattern.compile(
            "(?i)\\b(authorization:\\s*(?:bearer|basic|token)?|bearer|basic|token)\\s+(?=[A-Z._~+/=-]*[0-9])[A-Z0-9._~+/=-]{6,}");

    private static final Pattern TAGS = Pattern.compile("(?s)<(script|style)\\b.*?</\\1>|<[^>]{0,2000}>");
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Cntrl}]+");

    private final Set<String> secrets = new LinkedHashSet<>();

    public Redactor(Collection<String> secrets) {
        for (String secret : secrets) {
            if (!secret.isBlank()) {
                this.secrets.add(secret);
                this.secrets.add(URLEncoder.encode(secret, StandardCharsets.UTF_8));
                this.secrets.add(Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    /** One that knows of more. */
    Redactor with(Collection<String> more) {
        Redactor both = new Redactor(more);
        both.secrets.addAll(secrets);
        return both;
    }

    /** The text without secrets. */
    public String redact(String text) {
        String clean = text;
        for (String secret : secrets) {
            clean = clean.replace(secret, GONE);
        }
        return CREDENTIAL.matcher(clean).replaceAll("$1 " + GONE);
    }

    /** One line of at most a few hundred characters, without secrets, mark-up and control characters. */
    public String words(String text) {
        String start = text.length() > 20_000 ? text.substring(0, 20_000) : text;
        String plain =
                SPACE.matcher(TAGS.matcher(redact(start)).replaceAll(" ")).replaceAll(" ");
        String line = plain.strip();
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }
}
