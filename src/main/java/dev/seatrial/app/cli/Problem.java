package dev.seatrial.app.cli;

import java.util.Optional;

/** Something the user must know, with the exit code it means. */
final class Problem extends Exception {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final transient Optional<String> next;

    Problem(int code, String what) {
        this(code, what, Optional.empty());
    }

    Problem(int code, String what, Optional<String> next) {
        super(what);
        this.code = code;
        this.next = next;
    }

    int code() {
        return code;
    }

    Optional<String> next() {
        return next;
    }
}
