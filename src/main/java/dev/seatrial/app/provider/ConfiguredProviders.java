package dev.seatrial.app.provider;

import dev.seatrial.app.config.Secrets;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.remote.HandedOverSettings;
import dev.seatrial.app.remote.Target;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.simulator.Profiles;
import dev.seatrial.simulator.Simulator;
import dev.seatrial.simulator.SimulatorOptions;
import dev.seatrial.vendors.VendorAccount;
import dev.seatrial.vendors.VendorFactory;
import dev.seatrial.vendors.VendorFactory.Setting;
import dev.seatrial.vendors.sim.SimProvider;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/**
 * Accounts of the configuration and the built-in ones. An adapter is made when it is first asked for; so are simulators
 * that run in this process, which end with {@link #close()}. Thread-safe.
 */
public final class ConfiguredProviders implements Providers, AutoCloseable {
    /** Accounts that exist without configuration; a configured account of the same name comes before it. */
    private static final Map<String, Map<String, String>> BUILT_IN = builtIn();

    private final Map<String, Map<String, String>> accounts;
    private final Secrets secrets;
    private final Targets targets;
    private final InstantSource clock;
    private final BiFunction<ProviderId, Target, Provider> borrowed;
    private final Map<String, VendorFactory> vendors = Kinds.vendors();
    private final Map<ProviderId, Provider> made = new ConcurrentHashMap<>();
    private final Map<ProviderId, Simulator> simulators = new ConcurrentHashMap<>();

    /**
     * @param borrowed makes the adapter of a handed-over machine
     * @param clock what simulators in this process follow
     */
    public ConfiguredProviders(
            Settings settings,
            Secrets secrets,
            Targets targets,
            InstantSource clock,
            BiFunction<ProviderId, Target, Provider> borrowed) {
        this.accounts = new LinkedHashMap<>(settings.providers());
        BUILT_IN.forEach(accounts::putIfAbsent);
        this.secrets = secrets;
        this.targets = targets;
        this.clock = clock;
        this.borrowed = borrowed;
    }

    private static Map<String, Map<String, String>> builtIn() {
        Map<String, Map<String, String>> accounts = new LinkedHashMap<>();
        Profiles.BUILT_IN.forEach(
                profile -> accounts.put("sim-" + profile, Map.of("kind", Kinds.SIM, "profile", profile)));
        accounts.put(Targets.THIS_MACHINE, Map.of("kind", HandedOverSettings.LOCAL));
        return accounts;
    }

    @Override
    public List<ProviderId> names() {
        return accounts.keySet().stream().map(ProviderId::new).toList();
    }

    @Override
    public String kind(ProviderId id) {
        return given(id).getOrDefault("kind", "");
    }

    @Override
    public Provider get(ProviderId id) {
        Map<String, String> given = given(id);
        try {
            return made.computeIfAbsent(id, i -> make(i, given));
        } catch (IllegalArgumentException | UncheckedIOException | Profiles.ProfileException e) {
            throw new ConfigException(id + ": " + e.getMessage());
        }
    }

    /** Whether this account is a cloud that lives and ends with the process that uses it. */
    public boolean endsWithProcess(ProviderId id) {
        Map<String, String> given = accounts.getOrDefault(id.value(), Map.of());
        return Kinds.SIM.equals(given.get("kind")) && !given.containsKey("url");
    }

    /** The simulator that runs in this process for an account, once the account has been used. */
    public Optional<Simulator> simulator(ProviderId id) {
        return Optional.ofNullable(simulators.get(id));
    }

    private Map<String, String> given(ProviderId id) {
        return Optional.ofNullable(accounts.get(id.value()))
                .orElseThrow(() -> new ConfigException("no account is called " + id));
    }

    private Provider make(ProviderId id, Map<String, String> given) {
        String kind = given.getOrDefault("kind", "");
        if (kind.equals(Kinds.SIM)) {
            return simulated(id, given);
        }
        Optional<Target> target = targets.of(id.value());
        if (target.isPresent()) {
            return borrowed.apply(id, target.get());
        }
        VendorFactory factory = Optional.ofNullable(vendors.get(kind))
                .orElseThrow(() -> new IllegalArgumentException("no kind of vendor is called " + kind));
        Map<String, String> plain = new LinkedHashMap<>(given);
        plain.remove("kind");
        factory.settings().stream().filter(Setting::secret).forEach(s -> plain.remove(s.name()));
        return factory.create(new VendorAccount(
                id, plain, name -> Optional.ofNullable(given.get(name)).map(secrets::resolve), clock));
    }

    private Provider simulated(ProviderId id, Map<String, String> given) {
        if (given.containsKey("url")) {
            if (given.containsKey("profile")) {
                throw new IllegalArgumentException("a simulator at a url has its own profile; remove one of the two");
            }
            VendorAccount account = new VendorAccount(id, given, name -> Optional.empty(), clock);
            String key = Optional.ofNullable(given.get("apiKey"))
                    .map(secrets::resolve)
                    .orElse(SimulatorOptions.DEFAULT_KEY);
            return new SimProvider(id, account.url("url", ""), key);
        }
        Simulator simulator = simulators.computeIfAbsent(
                id,
                i -> Simulator.start(SimulatorOptions.of(given.getOrDefault("profile", "steady"))
                        .withClock(clock)));
        URI base = simulator.baseUri();
        return new SimProvider(id, base, SimulatorOptions.DEFAULT_KEY);
    }

    /** Ends what runs in this process. Leases of its simulators are gone with it. */
    @Override
    public void close() {
        List<Exception> failures = new ArrayList<>();
        List<AutoCloseable> open = new ArrayList<>();
        made.values().stream()
                .filter(AutoCloseable.class::isInstance)
                .map(AutoCloseable.class::cast)
                .forEach(open::add);
        open.addAll(simulators.values());
        for (AutoCloseable one : open) {
            try {
                one.close();
            } catch (Exception e) {
                // The others must be closed all the same; it is told below.
                failures.add(e);
            }
        }
        made.clear();
        simulators.clear();
        if (!failures.isEmpty()) {
            throw new IllegalStateException("not everything could be closed", failures.get(0));
        }
    }
}
