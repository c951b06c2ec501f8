package dev.seatrial.app;

import dev.seatrial.app.bench.DefaultJudge;
import dev.seatrial.app.bench.OwnFiles;
import dev.seatrial.app.bench.StageTrialJudge;
import dev.seatrial.app.config.Secrets;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.engine.PeerJudge;
import dev.seatrial.app.engine.TrialJudge;
import dev.seatrial.app.lease.HandBack;
import dev.seatrial.app.provider.ConfiguredProviders;
import dev.seatrial.app.provider.Targets;
import dev.seatrial.app.remote.BorrowedProvider;
import dev.seatrial.app.remote.FileLeaseKeys;
import dev.seatrial.app.remote.HandedOver;
import dev.seatrial.app.remote.HandedOverCleaner;
import dev.seatrial.app.remote.MachineProbe;
import dev.seatrial.app.remote.Machines;
import dev.seatrial.app.remote.SshProbe;
import dev.seatrial.app.remote.StageActivitiesImpl;
import dev.seatrial.app.remote.Target;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.workflow.StageActivities;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;

/** The parts that need no ledger, made by hand: which class stands for which port. */
final class Parts implements AutoCloseable {
    private final Settings settings;
    private final InstantSource clock;
    private final FileLeaseKeys keys;
    private final HandedOver handedOver;
    private final Targets targets;
    private final Machines machines;
    private final ConfiguredProviders providers;
    private Optional<OwnFiles> own = Optional.empty();
    private Optional<DefaultJudge> judge = Optional.empty();

    Parts(Settings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
        this.keys = new FileLeaseKeys(settings.keys());
        this.handedOver = new HandedOver(settings.home().resolve("handed-over"));
        Secrets secrets = Secrets.ofProcess();
        this.targets = new Targets(settings, secrets);
        this.machines = new Machines(keys, targets::of);
        this.providers = new ConfiguredProviders(settings, secrets, targets, clock, this::borrowed);
    }

    /** Its price is what the configuration or, before it, the plan states; nothing otherwise. */
    private Provider borrowed(ProviderId id, Target target) {
        return new BorrowedProvider(
                id,
                target,
                machines,
                handedOver,
                targets.hourly(id.value()).orElse(BigMoney.zero(CurrencyUnit.of("CNY"))));
    }

    Settings settings() {
        return settings;
    }

    ConfiguredProviders providers() {
        return providers;
    }

    FileLeaseKeys keys() {
        return keys;
    }

    /**
     * Made when it is asked for: what releases machines must not depend on the user's own references.
     *
     * @throws dev.seatrial.app.config.ProblemsException when those cannot be used
     */
    synchronized DefaultJudge judge() {
        DefaultJudge made = judge.orElseGet(() -> DefaultJudge.load(own()));
        judge = Optional.of(made);
        return made;
    }

    /** As they were when they were first asked for. @throws dev.seatrial.app.config.ProblemsException as above */
    synchronized OwnFiles own() {
        OwnFiles read = own.orElseGet(() -> OwnFiles.read(settings, Locale.ENGLISH));
        own = Optional.of(read);
        return read;
    }

    PeerJudge peers() {
        return judge().peers();
    }

    TrialJudge trialJudge() {
        return new StageTrialJudge(judge());
    }

    MachineProbe probe() {
        return new SshProbe(machines);
    }

    HandBack handBack() {
        return cleaner()::tryClean;
    }

    StageActivities stages(Ledger ledger, Function<String, Plan> plans) {
        return new StageActivitiesImpl(
                ledger,
                machines,
                judge(),
                plans,
                cleaner(),
                clock,
                settings.home().resolve("tmp"));
    }

    private HandedOverCleaner cleaner() {
        return new HandedOverCleaner(machines, handedOver);
    }

    @Override
    public void close() {
        machines.close();
        providers.close();
    }
}
