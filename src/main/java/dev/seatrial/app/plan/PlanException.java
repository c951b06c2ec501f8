package dev.seatrial.app.plan;

import java.util.List;

/** A plan that cannot be run. Lists every error found, in order of position. */
public final class PlanException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<PlanError> errors;

    public PlanException(List<PlanError> errors) {
        super(errors.isEmpty() ? "invalid plan" : errors.get(0).toString());
        this.errors = List.copyOf(errors);
    }

    public List<PlanError> errors() {
        return errors;
    }

    /**
     * @param file as the user named it
     * @param line from 1; 0 when the file as a whole is meant
     * @param column from 1; 0 when the line as a whole is meant
     * @param path where in the plan, e.g. {@code budget.cap}; may be empty
     * @param message what is wrong
     * @param hint what would be right; may be empty
     */
    public record PlanError(String file, int line, int column, String path, String message, String hint) {
        @Override
        public String toString() {
            String where = line == 0 ? file : column == 0 ? file + ":" + line : file + ":" + line + ":" + column;
            return where + ": " + (path.isEmpty() ? "" : path + ": ") + message
                    + (hint.isEmpty() ? "" : " (" + hint + ")");
        }
    }
}
