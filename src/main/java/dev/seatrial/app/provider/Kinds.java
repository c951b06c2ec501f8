package dev.seatrial.app.provider;

import dev.seatrial.app.remote.HandedOverSettings;
import dev.seatrial.vendors.VendorFactory;
import dev.seatrial.vendors.VendorFactory.Setting;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** Every kind of account: vendors as their factories say, and machines that need no vendor. */
public final class Kinds {
    /** A simulated vendor. */
    public static final String SIM = "sim";

    private Kinds() {}

    /** Factories of vendors by kind, found on the class path. */
    static Map<String, VendorFactory> vendors() {
        Map<String, VendorFactory> found = new TreeMap<>();
        for (VendorFactory factory : ServiceLoader.load(VendorFactory.class, Kinds.class.getClassLoader())) {
            if (found.put(factory.kind(), factory) != null) {
                throw new IllegalStateException("two factories for kind " + factory.kind());
            }
        }
        return found;
    }

    /** Settings of every kind. */
    public static Map<String, List<Setting>> settings() {
        Map<String, List<Setting>> kinds = new TreeMap<>();
        vendors().forEach((kind, factory) -> kinds.put(kind, factory.settings()));
        kinds.putAll(HandedOverSettings.kinds());
        kinds.put(
                SIM,
                List.of(
                        Setting.optional("url", "address of a simulator that runs already"),
                        Setting.optionalSecret("apiKey", "its key, when it is not the usual one"),
                        Setting.optional(
                                "profile", "steady, discount, flaky or a profile file, when it runs in here")));
        return kinds;
    }
}
