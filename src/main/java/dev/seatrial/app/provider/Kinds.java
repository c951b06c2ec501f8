package dev.seatrial.app.provider;

import dev.seatrial.vendors.VendorFactory;
import dev.seatrial.vendors.VendorFactory.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Every kind of account: vendors as their factories say, and machines that need no vendor. */
public final class Kinds {
    /** A machine that was handed over, reached by SSH. */
    public static final String SSH = "ssh";
    /** This machine. */
    public static final String LOCAL = "local";
    /** A simulated vendor. */
    public static final String SIM = "sim";

    private static final List<Setting> MACHINE = List.of(
            Setting.optional("gpu", "GPU model"),
            Setting.optional("gpus", "number of GPUs"),
            Setting.optional("dir", "directory for our files on it"));

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
        List<Setting> ssh = new ArrayList<>(login("", true));
        ssh.addAll(login("jump.", false));
        ssh.addAll(MACHINE);
        kinds.put(SSH, ssh);
        kinds.put(LOCAL, MACHINE);
        kinds.put(
                SIM,
                List.of(
                        Setting.optional("url", "address of a simulator that runs already"),
                        Setting.optionalSecret("apiKey", "its key, when it is not the usual one"),
                        Setting.optional(
                                "profile", "steady, discount, flaky or a profile file, when it runs in here")));
        return kinds;
    }

    private static List<Setting> login(String prefix, boolean required) {
        return Stream.of(
                        new Setting("host", required, false, "name or address"),
                        Setting.optional("port", "SSH port, 22 when left out"),
                        Setting.optional("user", "login name"),
                        Setting.optional("key", "path of the private key file"),
                        Setting.optionalSecret("passphrase", "the key file's passphrase"),
                        Setting.optionalSecret("password", "the user's password"),
                        Setting.optional("fingerprint", "SHA256:... of the host's key"))
                .map(s -> new Setting(prefix + s.name(), s.required(), s.secret(), s.meaning()))
                .toList();
    }
}
