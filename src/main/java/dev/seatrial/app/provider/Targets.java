package dev.seatrial.app.provider;

import dev.seatrial.app.config.Secrets;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.provider.Providers.ConfigException;
import dev.seatrial.app.remote.HandedOverSettings;
import dev.seatrial.app.remote.Target;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.joda.money.BigMoney;

/** Machines that were handed over, as the configuration describes them. Secrets are read anew each time. */
public final class Targets {
    /** The account that is this machine, without any configuration. */
    public static final String THIS_MACHINE = "this-machine";

    private final Settings settings;
    private final Secrets secrets;

    public Targets(Settings settings, Secrets secrets) {
        this.settings = settings;
        this.secrets = secrets;
    }

    /**
     * The machine of an account of kind {@code ssh} or {@code local}; empty for every other account.
     *
     * @throws ConfigException when it is described wrongly or a secret is not to be had
     */
    public Optional<Target> of(String provider) {
        return read(provider, given -> HandedOverSettings.target(given.getOrDefault("kind", ""), given, secrets));
    }

    /**
     * What such a machine costs for one hour by its settings, zero when they state no price; empty for every other
     * account.
     *
     * @throws ConfigException when it is no price
     */
    public Optional<BigMoney> hourly(String provider) {
        return read(provider, HandedOverSettings::hourly);
    }

    private <T> Optional<T> read(String provider, Function<Map<String, String>, T> reader) {
        Map<String, String> given = settings.providers().get(provider);
        if (given == null && provider.equals(THIS_MACHINE)) {
            given = Map.of("kind", HandedOverSettings.LOCAL);
        }
        if (given == null || !HandedOverSettings.kinds().containsKey(given.getOrDefault("kind", ""))) {
            return Optional.empty();
        }
        try {
            return Optional.of(reader.apply(given));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(provider + ": " + e.getMessage());
        }
    }
}
