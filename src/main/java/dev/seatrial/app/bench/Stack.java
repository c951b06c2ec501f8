package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Measurement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The software below a figure, as far as figures must share it to be compared: tool, its major and minor, CUDA's major. */
final class Stack {
    private static final Pattern TOOL =
            Pattern.compile("(\\S{1,40})(?: v?(\\d{1,4}\\.\\d{1,4})?[^+]*(?:\\+cu(\\d{2})\\d*)?.*)?", Pattern.DOTALL);

    private Stack() {}

    /** Such as {@code torch 2.6, CUDA 12}; the tool's own words where they are of another form. */
    static String of(Measurement m) {
        Matcher tool = TOOL.matcher(m.tool());
        if (!tool.matches()) {
            return m.tool();
        }
        return tool.group(1)
                + (tool.group(2) == null ? "" : " " + tool.group(2))
                + (tool.group(3) == null ? "" : ", CUDA " + tool.group(3));
    }
}
