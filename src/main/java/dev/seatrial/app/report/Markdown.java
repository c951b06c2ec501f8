package dev.seatrial.app.report;

/** Text as Markdown that means nothing but itself. */
final class Markdown {
    private Markdown() {}

    /** One line in which no character starts markup, a table cell, an HTML tag, an entity or a link. */
    static String text(String line) {
        StringBuilder out = new StringBuilder(line.length() + 16);
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            switch (c) {
                case '\n' -> out.append(' ');
                case '\\', '`', '*', '[', ']', '|', '~', '#', '!', '$' ->
                    out.append('\\').append(c);
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '@' -> out.append("&#64;");
                // Inside a word an underscore is no emphasis, and metric names stay readable.
                case '_' -> out.append(inWord(line, i) ? "_" : "\\_");
                // Without these two no address becomes a link.
                case ':' -> out.append(line.startsWith("://", i) ? "\\:" : ":");
                case '.' -> out.append(i >= 3 && line.regionMatches(true, i - 3, "www", 0, 3) ? "\\." : ".");
                default -> out.append(c);
            }
        }
        return out.toString();
    }

    private static boolean inWord(String line, int at) {
        return at > 0
                && at + 1 < line.length()
                && Character.isLetterOrDigit(line.charAt(at - 1))
                && Character.isLetterOrDigit(line.charAt(at + 1));
    }
}
