package dev.seatrial.app.remote;

import dev.seatrial.app.config.Secrets;
import dev.seatrial.vendors.VendorFactory.Setting;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.IllegalCurrencyException;

/** Settings of the kinds {@code ssh} and {@code local}. */
public final class HandedOverSettings {
    public static final String SSH = "ssh";
    public static final String LOCAL = "local";

    private static final Pattern FINGERPRINT = Pattern.compile("SHA256:[A-Za-z0-9+/]{43}=?");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9:%._-]{1,253}");
    private static final Pattern USER = Pattern.compile("[^\\s@\\p{Cntrl}]{1,64}");
    private static final List<Setting> COMMON = List.of(
            Setting.optional("gpu", "GPU model as in plans, e.g. A100-SXM4-80G"),
            Setting.optional("gpus", "number of GPUs"),
            Setting.optional("dir", "where our working folder goes"),
            Setting.optional("price", "price of the machine for one hour"),
            Setting.optional("currency", "currency of the price, e.g. CNY"));

    private HandedOverSettings() {}

    /** What there is to set, by kind. */
    public static Map<String, List<Setting>> kinds() {
        List<Setting> ssh = new ArrayList<>(List.of(Setting.required("host", "name or address")));
        ssh.addAll(login(""));
        ssh.add(Setting.optional("jump.host", "host to go through"));
        ssh.addAll(login("jump."));
        ssh.addAll(COMMON);
        return Map.of(SSH, List.copyOf(ssh), LOCAL, COMMON);
    }

    private static List<Setting> login(String prefix) {
        return List.of(
                Setting.optional(prefix + "port", "SSH port, 22 unless given"),
                Setting.optional(prefix + "user", "login name"),
                Setting.optional(prefix + "key", "private key file"),
                Setting.optionalSecret(prefix + "passphrase", "passphrase of the key file"),
                Setting.optionalSecret(prefix + "password", "password of the user"),
                Setting.optional(prefix + "fingerprint", "host key as SHA256:…, as ssh-keygen -l shows it"));
    }

    /**
     * The machine that the settings describe; secrets are resolved now.
     *
     * @throws IllegalArgumentException when they cannot be used, in plain words
     */
    public static Target target(String kind, Map<String, String> settings, Secrets secrets) {
        Optional<String> gpu = text(settings, "gpu");
        OptionalInt gpus = text(settings, "gpus")
                .map(g -> OptionalInt.of(number("gpus", g, 0, 4096)))
                .orElse(OptionalInt.empty());
        Optional<String> dir = text(settings, "dir");
        dir.filter(d -> !d.startsWith("/")).ifPresent(d -> {
            throw new IllegalArgumentException("dir must be an absolute path on the machine: " + d);
        });
        if (kind.equals(LOCAL)) {
            return new LocalTarget(gpu, gpus, dir);
        }
        SshTarget.Login login = login(settings, "", System.getProperty("user.name"), Optional.empty(), secrets);
        Optional<SshTarget.Login> jump = settings.keySet().stream().anyMatch(k -> k.startsWith("jump."))
                ? Optional.of(login(settings, "jump.", login.user(), Optional.of(login), secrets))
                : Optional.empty();
        return new SshTarget(login, jump, gpu, gpus, dir);
    }

    /**
     * The price the settings state; zero when they state none.
     *
     * @throws IllegalArgumentException when it is no price
     */
    public static BigMoney hourly(Map<String, String> settings) {
        String currency = text(settings, "currency").orElse("CNY");
        String price = text(settings, "price").orElse("0");
        try {
            BigMoney hourly = BigMoney.of(CurrencyUnit.of(currency), new BigDecimal(price));
            if (hourly.isNegative()) {
                throw new IllegalArgumentException("price must not be negative");
            }
            return hourly;
        } catch (IllegalCurrencyException e) {
            throw new IllegalArgumentException("no such currency: " + currency, e);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("price must be a number: " + price, e);
        }
    }

    /** @param fallback whose key is used when the jump host has neither key nor password of its own */
    private static SshTarget.Login login(
            Map<String, String> settings,
            String prefix,
            String user,
            Optional<SshTarget.Login> fallback,
            Secrets secrets) {
        String host = text(settings, prefix + "host")
                .orElseThrow(() -> new IllegalArgumentException(prefix + "host is missing"));
        check(prefix + "host", host, HOST, "a name or address without user or port");
        String name = text(settings, prefix + "user").orElse(user);
        check(prefix + "user", name, USER, "a login name");
        Optional<String> fingerprint = text(settings, prefix + "fingerprint");
        fingerprint.ifPresent(f ->
                check(prefix + "fingerprint", f, FINGERPRINT, "SHA256: and 43 characters, as ssh-keygen -l shows it"));
        Optional<String> password = text(settings, prefix + "password").map(secrets::resolve);
        Optional<java.nio.file.Path> key = text(settings, prefix + "key").map(secrets::path);
        Optional<String> passphrase = text(settings, prefix + "passphrase").map(secrets::resolve);
        if (key.isEmpty() && password.isEmpty() && fallback.isPresent()) {
            key = fallback.get().key();
            passphrase = fallback.get().passphrase();
        }
        return new SshTarget.Login(
                host,
                text(settings, prefix + "port")
                        .map(p -> number(prefix + "port", p, 1, 65535))
                        .orElse(22),
                name,
                key,
                passphrase,
                password,
                fingerprint);
    }

    private static Optional<String> text(Map<String, String> settings, String name) {
        return Optional.ofNullable(settings.get(name)).map(String::strip).filter(v -> !v.isEmpty());
    }

    private static void check(String name, String value, Pattern form, String right) {
        if (!form.matcher(value).matches()) {
            throw new IllegalArgumentException(name + " must be " + right + ": " + Text.line(value, 80));
        }
    }

    private static int number(String name, String value, int low, int high) {
        try {
            int number = Integer.parseInt(value);
            if (number >= low && number <= high) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number: " + Text.line(value, 40), e);
        }
        throw new IllegalArgumentException(name + " must be from " + low + " to " + high + ": " + value);
    }
}
