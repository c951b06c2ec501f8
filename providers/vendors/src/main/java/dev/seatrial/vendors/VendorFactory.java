package dev.seatrial.vendors;

import dev.seatrial.provider.Provider;
import java.util.List;
import java.util.Optional;

/**
 * Makes accounts of one kind of vendor. Found by {@link java.util.ServiceLoader}: a new vendor is a package with its
 * factory and a line in {@code META-INF/services/dev.seatrial.vendors.VendorFactory}, and edits nothing else.
 */
public interface VendorFactory {
    /** The word after {@code kind:} in the configuration, {@code [a-z0-9-]}. */
    String kind();

    /** Every setting there is beside {@code kind}. */
    List<Setting> settings();

    /**
     * Makes the adapter. Sends nothing.
     *
     * @throws IllegalArgumentException when the settings cannot be used, in plain words
     */
    Provider create(VendorAccount account);

    /**
     * One setting.
     *
     * @param name as in the configuration; nested ones with dots, e.g. {@code jump.host}
     * @param required whether there is no account without it
     * @param secret whether it must not stand in the file: only {@code env:NAME} or {@code file:PATH} may
     * @param meaning what it is, in a few English words
     */
    record Setting(String name, boolean required, boolean secret, String meaning) {
        public static Setting required(String name, String meaning) {
            return new Setting(name, true, false, meaning);
        }

        public static Setting optional(String name, String meaning) {
            return new Setting(name, false, false, meaning);
        }

        /** A secret without which nothing works. */
        public static Setting key(String name, String meaning) {
            return new Setting(name, true, true, meaning);
        }

        public static Setting optionalSecret(String name, String meaning) {
            return new Setting(name, false, true, meaning);
        }
    }

    /** The setting with this name. */
    default Optional<Setting> setting(String name) {
        return settings().stream().filter(s -> s.name().equals(name)).findFirst();
    }
}
