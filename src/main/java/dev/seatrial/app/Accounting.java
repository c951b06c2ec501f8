package dev.seatrial.app;

import dev.seatrial.app.config.Settings;
import dev.seatrial.app.provider.Providers;
import java.time.InstantSource;

/** Vendor accounts alone, for commands that need no ledger. */
public final class Accounting implements AutoCloseable {
    private final Parts parts;

    private Accounting(Parts parts) {
        this.parts = parts;
    }

    public static Accounting open(Settings settings, InstantSource clock) {
        return new Accounting(new Parts(settings, clock));
    }

    public Providers providers() {
        return parts.providers();
    }

    @Override
    public void close() {
        parts.close();
    }
}
