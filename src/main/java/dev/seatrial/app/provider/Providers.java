package dev.seatrial.app.provider;

import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import java.util.List;

/** Configured vendor accounts by name. */
public interface Providers {
    /** In order of configuration, built-in simulated ones last. */
    List<ProviderId> names();

    /**
     * The adapter; the same object for every call.
     *
     * @throws ConfigException when there is no such account or its settings are wrong (e.g. a missing key), in plain words
     */
    Provider get(ProviderId id);

    /** The configured kind, e.g. {@code sim}, {@code ssh}, {@code local}. */
    String kind(ProviderId id);

    /** Settings that the user must mend. */
    final class ConfigException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public ConfigException(String message) {
            super(message);
        }
    }
}
