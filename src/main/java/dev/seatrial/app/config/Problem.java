package dev.seatrial.app.config;

import java.util.Comparator;

/**
 * Something wrong in a file that a person wrote.
 *
 * @param file as the user named it
 * @param line from 1; 0 when the file as a whole is meant
 * @param column from 1; 0 when the line as a whole is meant
 * @param path where in the document, e.g. {@code budget.cap}; may be empty
 * @param message what is wrong
 * @param hint what would be right; may be empty
 */
public record Problem(String file, int line, int column, String path, String message, String hint) {
    /** As one reads a file. */
    public static final Comparator<Problem> BY_POSITION =
            Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column);

    @Override
    public String toString() {
        String where = line == 0 ? file : column == 0 ? file + ":" + line : file + ":" + line + ":" + column;
        return where + ": " + (path.isEmpty() ? "" : path + ": ") + message + (hint.isEmpty() ? "" : " (" + hint + ")");
    }
}
