package dev.seatrial.app.lease;

import dev.seatrial.app.provider.Providers;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderId;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One {@link AccountView} per configured account. */
public final class Accounts {
    private final Providers providers;
    private final InstantSource clock;
    private final Map<ProviderId, AccountView> views = new ConcurrentHashMap<>();

    public Accounts(Providers providers, InstantSource clock) {
        this.providers = providers;
        this.clock = clock;
    }

    public Provider provider(ProviderId id) {
        return providers.get(id);
    }

    public AccountView view(ProviderId id) {
        return views.computeIfAbsent(id, key -> new AccountView(providers.get(key), clock));
    }
}
