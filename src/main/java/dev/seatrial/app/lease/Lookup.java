package dev.seatrial.app.lease;

import dev.seatrial.app.provider.Providers;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.NotYet;
import java.time.Duration;
import java.util.function.Supplier;

/** What the steps of one lease look up; what cannot be had now is a {@link NotYet}. */
final class Lookup {
    private static final Duration VENDOR_AWAY = Duration.ofSeconds(3);

    private final Ledger ledger;
    private final Accounts accounts;

    Lookup(Ledger ledger, Accounts accounts) {
        this.ledger = ledger;
        this.accounts = accounts;
    }

    LeaseRow row(LeaseHandle lease) {
        return row(lease.lease());
    }

    LeaseRow row(String lease) {
        return ledger.lease(lease).orElseThrow(() -> NotYet.never("the ledger has no lease " + lease));
    }

    /** The account; one that is not configured any more never will be within this run. */
    Provider provider(ProviderId id) {
        try {
            return accounts.provider(id);
        } catch (Providers.ConfigException e) {
            throw NotYet.never(String.valueOf(e.getMessage()));
        }
    }

    /** The account's list, at most {@code age} old. */
    AccountView.Snapshot list(ProviderId id, Duration age) {
        return asked(() -> accounts.view(id).atMost(age));
    }

    /** What a vendor answers to reads; a vendor that does not is asked again later. */
    <T> T asked(Supplier<T> read) {
        try {
            return read.get();
        } catch (ProviderException e) {
            throw NotYet.unreachable(e.retryAfter().orElse(VENDOR_AWAY), e.kind() + ": " + e.words());
        }
    }
}
