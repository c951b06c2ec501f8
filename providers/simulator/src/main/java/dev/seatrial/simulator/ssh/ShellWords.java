package dev.seatrial.simulator.ssh;

import java.util.ArrayList;
import java.util.List;

/** Splits a command line as a shell does: blanks, single and double quotes, backslashes. No expansion. */
final class ShellWords {
    private ShellWords() {}

    /**
     * The words; {@code &&}, {@code ;} and {@code >} outside quotes are words of their own.
     *
     * @throws IllegalArgumentException for a quote that never ends
     */
    static List<Word> split(String line) {
        List<Word> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean any = false;
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else if (quote == '"'
                        && c == '\\'
                        && i + 1 < line.length()
                        && "\"\\$`".indexOf(line.charAt(i + 1)) >= 0) {
                    word.append(line.charAt(++i));
                } else {
                    word.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
                any = true;
            } else if (c == '\\' && i + 1 < line.length()) {
                word.append(line.charAt(++i));
                any = true;
            } else if (Character.isWhitespace(c) || c == ';' || c == '>' || c == '&') {
                if (any) {
                    words.add(new Word(word.toString(), false));
                }
                word.setLength(0);
                any = false;
                if (c == '&' && i + 1 < line.length() && line.charAt(i + 1) == '&') {
                    i++;
                    words.add(new Word("&&", true));
                } else if (!Character.isWhitespace(c)) {
                    words.add(new Word(String.valueOf(c), true));
                }
            } else {
                word.append(c);
                any = true;
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("unterminated quoted string");
        }
        if (any) {
            words.add(new Word(word.toString(), false));
        }
        return words;
    }

    /** @param operator whether it was written outside quotes as an operator */
    record Word(String text, boolean operator) {}
}
