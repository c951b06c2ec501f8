package dev.seatrial.app.report;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes the harm out of text that vendors, machines and tasks wrote, before any format escapes it: control characters and
 * terminal sequences, characters that reorder or hide text, and whatever looks like a credential.
 */
final class HostileText {
    private static final String HIDDEN = "[redacted]";

    /** Terminal sequences: CSI, OSC and other strings up to their end, two-character escapes; ESC itself or its C1 form. */
    private static final Pattern SEQUENCE = Pattern.compile("(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?"
            + "|(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?"
            + "|\\x1b[ -/]*[0-~]?");

    /** Controls, format characters (bidirectional overrides, zero width), private use, lone surrogates, separators. */
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}&&[^\\n\\t]]");

    private static final List<Pattern> SECRETS = List.of(
            Pattern.compile(
                    "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?s:.{0,20000}?)(?:-----END [A-Z0-9 ]{0,40}-----|\\z)"),
            Pattern.compile("(?i)(?<=\\b(?:bearer|basic) )[a-z0-9._~+/=-]{8,}"),
            Pattern.compile("(?i)(?<=(?:api[_-]?key|access[_-]?key|secret|secret[_-]?key|token|password|passwd)"
                    + "[\"']?\\s{0,3}[:=]\\s{0,3}[\"']?)[^\\s\"',;&]{4,}"),
            Pattern.compile("(?<=://)[^\\s/@:]{1,100}:[^\\s/@]{1,200}(?=@)"),
            Pattern.compile("\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?"),
            Pattern.compile("\\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}"),
            Pattern.compile("\\b(?:hf|ghp|gho|ghs|rpa|glpat|xoxb|xoxp)[_-][A-Za-z0-9_-]{16,}"),
            Pattern.compile("\\b(?:AKIA|ASIA|LTAI|AKID)[A-Za-z0-9]{12,}"));

    private HostileText() {}

    /** One line, at most {@code limit} characters; an ellipsis says that more was there. */
    static String line(String text, int limit) {
        return cut(clean(text).replaceAll("\\s+", " ").strip(), limit);
    }

    /** Several lines, at most {@code limit} characters. */
    static String block(String text, int limit) {
        return cut(clean(text).strip(), limit);
    }

    private static String clean(String text) {
        String visible =
                SEQUENCE.matcher(text.replace("\r\n", "\n").replace('\r', '\n')).replaceAll("");
        String safe = INVISIBLE.matcher(visible).replaceAll("");
        for (Pattern secret : SECRETS) {
            safe = secret.matcher(safe).replaceAll(HIDDEN);
        }
        return safe;
    }

    private static String cut(String text, int limit) {
        if (text.length() <= limit) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(limit - 2)) ? limit - 2 : limit - 1;
        return text.substring(0, end) + "…";
    }
}
