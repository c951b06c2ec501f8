package dev.seatrial.app.sweep;

import dev.seatrial.app.lease.Accounts;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.app.sweep.SweepLine.Action;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.ReleaseOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases everything that bears this installation's names, whatever its deadline, and proves it gone without a ledger: an
 * account is done once two complete lists, apart, show nothing of ours, the second not before the settle window after
 * spending was stopped. Other installations' instances are left alone. Used by one thread.
 */
public final class Everything {
    private static final Logger LOG = LoggerFactory.getLogger(Everything.class);
    private static final Duration LEAST_GAP = Duration.ofSeconds(1);

    private final Providers providers;
    private final Accounts accounts;
    private final String installation;
    private final Instant since;
    private final InstantSource clock;
    private final Map<ProviderId, Instant> absent = new HashMap<>();
    private final Set<ProviderId> proven = new HashSet<>();

    /** @param since when spending was stopped: the last moment at which a create can have been sent */
    public Everything(Providers providers, Accounts accounts, String installation, Instant since, InstantSource clock) {
        this.providers = providers;
        this.accounts = accounts;
        this.installation = installation;
        this.since = since;
        this.clock = clock;
    }

    /**
     * One round over accounts that are not done yet.
     *
     * @param others names that somebody else releases
     * @param foreign accounts that are not looked at
     */
    public List<SweepLine> round(Predicate<String> others, Predicate<ProviderId> foreign) {
        List<SweepLine> lines = new ArrayList<>();
        for (ProviderId id : providers.names()) {
            if (proven.contains(id) || foreign.test(id)) {
                proven.add(id);
                continue;
            }
            try {
                Provider provider = accounts.provider(id);
                if (provider.capabilities().borrowed()) {
                    proven.add(id);
                } else {
                    account(provider, others, lines);
                }
            } catch (ProviderException e) {
                boolean hopeless = e.kind() == ErrorKind.AUTH || e.kind() == ErrorKind.PERMISSION;
                lines.add(line(
                        id, "account", "", "", hopeless ? Action.UNSEEN : Action.TROUBLE, e.kind() + ": " + e.words()));
            } catch (Providers.ConfigException e) {
                lines.add(line(id, "account", "", "", Action.UNSEEN, String.valueOf(e.getMessage())));
            } catch (RuntimeException e) {
                // A bug in one adapter must not keep the others from being released.
                LOG.error("releasing everything at {} failed", id, e);
                lines.add(line(id, "account", "", "", Action.TROUBLE, "a bug of ours: " + e));
            }
        }
        return lines;
    }

    /** Whether nothing of ours is left at any account. */
    public boolean done() {
        return proven.containsAll(providers.names());
    }

    private void account(Provider provider, Predicate<String> others, List<SweepLine> lines) {
        Instant now = clock.instant();
        List<Instance> ours = accounts.view(provider.id()).fresh().instances().stream()
                .filter(i -> i.state().maybeBilling() && ours(i.name()) && !others.test(i.name()))
                .toList();
        ours.forEach(i -> lines.add(release(provider, i)));
        if (!ours.isEmpty()) {
            absent.remove(provider.id());
            return;
        }
        boolean clean = leftovers(provider, others, lines);
        Capabilities traits = provider.capabilities();
        Optional<Instant> first = Optional.ofNullable(absent.putIfAbsent(provider.id(), now));
        Duration gap = traits.pollInterval().compareTo(LEAST_GAP) < 0 ? LEAST_GAP : traits.pollInterval();
        boolean apart = first.map(f -> !f.plus(gap).isAfter(now)).orElse(false);
        boolean settled = !since.plus(traits.settleWindow()).isAfter(now);
        if (clean && apart && settled) {
            proven.add(provider.id());
        }
    }

    private SweepLine release(Provider provider, Instance instance) {
        String why = "belongs to this installation";
        Action action = Action.RELEASE;
        ReleaseOutcome outcome;
        try {
            outcome = provider.release(instance.id());
        } catch (ProviderException e) {
            outcome = new ReleaseOutcome.Failed(e.kind(), e.words());
        }
        if (outcome instanceof ReleaseOutcome.RetryLater later) {
            action = Action.TROUBLE;
            why = "refused for now: " + later.why();
        } else if (outcome instanceof ReleaseOutcome.Failed failed) {
            action = Action.TROUBLE;
            why = "refused: " + failed.kind() + ": " + failed.words();
        }
        return line(provider.id(), "instance", instance.id().value(), instance.name(), action, why);
    }

    /** @return whether none is left */
    private boolean leftovers(Provider provider, Predicate<String> others, List<SweepLine> lines) {
        boolean clean = true;
        for (DependentResource r : provider.dependentResources()) {
            if (!ours(r.name()) || others.test(r.name())) {
                continue;
            }
            Action action = Action.RELEASE;
            String why = "left over from a lease of this installation";
            try {
                provider.release(r);
            } catch (ProviderException e) {
                clean = false;
                action = Action.TROUBLE;
                why = "refused: " + e.kind() + ": " + e.words();
            }
            lines.add(line(provider.id(), r.kind(), r.id(), r.name(), action, why));
        }
        return clean;
    }

    private boolean ours(String name) {
        return LeaseName.parse(name)
                .filter(n -> n.installation().equals(installation))
                .isPresent();
    }

    private static SweepLine line(ProviderId provider, String what, String id, String name, Action action, String why) {
        return new SweepLine(provider.value(), what, id, name, action, why);
    }
}
