package dev.seatrial.app.control;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Where the owning process hands itself to the HTTP side, which Quarkus builds by itself. Until then, and after the end,
 * every call answers 503.
 */
@ApplicationScoped
public class ControlAttachment {
    private final AtomicReference<Optional<Attached>> attached = new AtomicReference<>(Optional.empty());

    /** What calls are answered with, and the token they must carry. */
    record Attached(ControlTarget target, String token) {}

    void attach(ControlTarget target, String token) {
        attached.set(Optional.of(new Attached(target, token)));
    }

    Optional<Attached> current() {
        return attached.get();
    }
}
