package dev.seatrial.app.config;

import java.util.List;
import java.util.stream.Collectors;

/** A file, or the place where data is kept, that cannot be used as it is. The message has one line for each problem. */
public final class ProblemsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public ProblemsException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
