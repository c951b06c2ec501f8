package dev.seatrial.app.report;

import java.util.ArrayList;
import java.util.List;

/** Terminal columns: Chinese, Japanese and Korean characters take two, combining marks none. */
final class TextWidth {
    /** Wide and full-width blocks, as pairs of first and last code point. */
    private static final int[] WIDE = {
        0x1100, 0x115F, 0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x25FD, 0x25FE, 0x2614, 0x2615, 0x26A1, 0x26A1,
        0x2705, 0x2705, 0x274C, 0x274C, 0x2E80, 0x303E, 0x3041, 0x33FF, 0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xA000, 0xA4CF,
        0xA960, 0xA97F, 0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE10, 0xFE19, 0xFE30, 0xFE6F, 0xFF00, 0xFF60, 0xFFE0, 0xFFE6,
        0x1F300, 0x1F64F, 0x1F680, 0x1F6FF, 0x1F900, 0x1F9FF, 0x1FA70, 0x1FAFF, 0x20000, 0x3FFFD
    };

    private TextWidth() {}

    static int of(String text) {
        return text.codePoints().map(TextWidth::of).sum();
    }

    private static int of(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        for (int i = 0; i < WIDE.length; i += 2) {
            if (point >= WIDE[i] && point <= WIDE[i + 1]) {
                return 2;
            }
        }
        return 1;
    }

    /** Filled with spaces up to this many columns. */
    static String pad(String text, int columns) {
        return text + " ".repeat(Math.max(0, columns - of(text)));
    }

    /** Broken into lines of at most this many columns: at spaces where there are any, between wide characters otherwise. */
    static List<String> wrap(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int width = 0;
        int lastBreak = -1;
        boolean afterWide = false;
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            int size = of(point);
            if (width + size > columns && line.length() > 0) {
                String whole = line.toString();
                int cut = point == ' ' || (size == 2 || afterWide) && !closing(point)
                        ? whole.length()
                        : lastBreak > 0 ? lastBreak : whole.length();
                lines.add(whole.substring(0, cut).stripTrailing());
                line = new StringBuilder(whole.substring(cut).stripLeading());
                width = of(line.toString());
                lastBreak = -1;
            }
            if (point != ' ' || line.length() > 0) {
                if ((size == 2 || afterWide) && !closing(point) && line.length() > 0) {
                    lastBreak = line.length();
                }
                line.appendCodePoint(point);
                width += size;
                // A number and its percent sign stay together.
                if (point == ' ' && !text.startsWith("%", at + 1)) {
                    lastBreak = line.length();
                }
            }
            afterWide = size == 2;
            at += Character.charCount(point);
        }
        if (line.length() > 0 || lines.isEmpty()) {
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /** Punctuation that must not begin a line. */
    private static boolean closing(int point) {
        return "，。；：、！？）》」』】".indexOf(point) >= 0;
    }
}
