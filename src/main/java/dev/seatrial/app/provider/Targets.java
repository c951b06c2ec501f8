package dev.seatrial.app.provider;

import dev.seatrial.app.config.Secrets;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.provider.Providers.ConfigException;
import dev.seatrial.app.remote.LocalTarget;
import dev.seatrial.app.remote.SshTarget;
import dev.seatrial.app.remote.Target;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

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
        Map<String, String> given = settings.providers().get(provider);
        if (given == null) {
            return provider.equals(THIS_MACHINE) ? Optional.of(local(Map.of())) : Optional.empty();
        }
        try {
            return switch (given.getOrDefault("kind", "")) {
                case Kinds.SSH -> Optional.of(ssh(given));
                case Kinds.LOCAL -> Optional.of(local(given));
                default -> Optional.empty();
            };
        } catch (IllegalArgumentException e) {
            throw new ConfigException(provider + ": " + e.getMessage());
        }
    }

    private static Target local(Map<String, String> given) {
        return new LocalTarget(text(given, "gpu"), gpus(given), text(given, "dir"));
    }

    private Target ssh(Map<String, String> given) {
        Optional<SshTarget.Login> jump = text(given, "jump.host").map(host -> login(given, "jump.", host));
        if (jump.isEmpty() && given.keySet().stream().anyMatch(k -> k.startsWith("jump."))) {
            throw new IllegalArgumentException("jump.host is missing");
        }
        String host = text(given, "host").orElseThrow(() -> new IllegalArgumentException("host is missing"));
        return new SshTarget(login(given, "", host), jump, text(given, "gpu"), gpus(given), text(given, "dir"));
    }

    private SshTarget.Login login(Map<String, String> given, String prefix, String host) {
        int port = text(given, prefix + "port")
                .map(p -> number(p, prefix + "port", 1, 65535))
                .orElse(22);
        Optional<Path> key = text(given, prefix + "key")
                .map(k -> secrets.path(k.startsWith("file:") ? k.substring("file:".length()) : k));
        return new SshTarget.Login(
                host,
                port,
                text(given, prefix + "user").orElseGet(() -> System.getProperty("user.name")),
                key,
                text(given, prefix + "passphrase").map(secrets::resolve),
                text(given, prefix + "password").map(secrets::resolve),
                text(given, prefix + "fingerprint"));
    }

    private static OptionalInt gpus(Map<String, String> given) {
        return text(given, "gpus")
                .map(n -> OptionalInt.of(number(n, "gpus", 0, 64)))
                .orElse(OptionalInt.empty());
    }

    private static Optional<String> text(Map<String, String> given, String name) {
        return Optional.ofNullable(given.get(name));
    }

    private static int number(String text, String name, int least, int most) {
        if (text.matches("[0-9]{1,6}") && Integer.parseInt(text) >= least && Integer.parseInt(text) <= most) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", not " + text);
    }
}
