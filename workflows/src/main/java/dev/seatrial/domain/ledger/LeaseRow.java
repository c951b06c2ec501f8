package dev.seatrial.domain.ledger;

import dev.seatrial.domain.plan.Phase;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Pricing;
import dev.seatrial.provider.ProviderId;
import dev.seatrial.provider.SshEndpoint;
import java.time.Instant;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * A lease as the ledger holds it.
 *
 * @param id lease id, {@code [a-z0-9]}, derived from the key by the ledger
 * @param key identity
 * @param provider vendor account
 * @param offer vendor's offer reference
 * @param region vendor's region name
 * @param gpu normalised GPU model
 * @param gpus GPUs of the instance that the phase uses
 * @param name instance name
 * @param token idempotency token
 * @param pricing quoted price
 * @param timing requested, deadline, latest end, reserved
 * @param reservedInPlan reserved, in the plan's currency
 * @param fxRate plan currency per unit of the offer's currency, as text
 * @param borrowed handed over rather than rented
 * @param state state
 * @param fence rises with every change; a writer must name the one it has read
 * @param instance vendor's id, once known
 * @param endpoint where SSH listens, once known
 * @param sentAt last moment a create request was sent or could have taken effect; empty before the first
 * @param readyAt when it was usable
 * @param releaseAskedAt when the first release call was sent
 * @param releasedAt when its absence was proven
 * @param cost what the vendor bills in all, in the offer's currency, once closed
 * @param costInPlan what of it lies within the vendor's own rules, in the plan's currency; counts as spent
 * @param overrunInPlan what of it lies beyond them, in the plan's currency; zero normally
 * @param note why it ended or was refused, in the vendor's own words where there are any; may be empty
 * @param owner process that runs it, as in {@link EvaluationRow#owner()}
 */
public record LeaseRow(
        String id,
        LeaseKey key,
        ProviderId provider,
        String offer,
        String region,
        String gpu,
        int gpus,
        LeaseName name,
        String token,
        Pricing pricing,
        dev.seatrial.domain.money.LeaseTiming timing,
        BigMoney reservedInPlan,
        String fxRate,
        boolean borrowed,
        LeaseState state,
        long fence,
        Optional<InstanceId> instance,
        Optional<SshEndpoint> endpoint,
        Optional<Instant> sentAt,
        Optional<Instant> readyAt,
        Optional<Instant> releaseAskedAt,
        Optional<Instant> releasedAt,
        Optional<BigMoney> cost,
        Optional<BigMoney> costInPlan,
        BigMoney overrunInPlan,
        String note,
        String owner) {
    public Phase phase() {
        return key.phase();
    }
}
