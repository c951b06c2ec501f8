package dev.seatrial.domain.ledger;

import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.SshEndpoint;
import java.time.Instant;
import java.util.Optional;
import org.joda.money.BigMoney;

/** What changes with a state change. Empty parts keep what is there. */
public record LeaseChange(
        Optional<InstanceId> instance,
        Optional<SshEndpoint> endpoint,
        Optional<Instant> sentAt,
        Optional<Instant> readyAt,
        Optional<Instant> releaseAskedAt,
        Optional<Instant> releasedAt,
        Optional<BigMoney> cost,
        Optional<BigMoney> costInPlan,
        Optional<BigMoney> overrunInPlan,
        Optional<String> note) {
    public static final LeaseChange NONE = new LeaseChange(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public LeaseChange withInstance(InstanceId id) {
        return new LeaseChange(
                Optional.of(id),
                endpoint,
                sentAt,
                readyAt,
                releaseAskedAt,
                releasedAt,
                cost,
                costInPlan,
                overrunInPlan,
                note);
    }

    public LeaseChange withEndpoint(SshEndpoint where) {
        return new LeaseChange(
                instance,
                Optional.of(where),
                sentAt,
                readyAt,
                releaseAskedAt,
                releasedAt,
                cost,
                costInPlan,
                overrunInPlan,
                note);
    }

    public LeaseChange withSentAt(Instant at) {
        return new LeaseChange(
                instance,
                endpoint,
                Optional.of(at),
                readyAt,
                releaseAskedAt,
                releasedAt,
                cost,
                costInPlan,
                overrunInPlan,
                note);
    }

    public LeaseChange withReadyAt(Instant at) {
        return new LeaseChange(
                instance,
                endpoint,
                sentAt,
                Optional.of(at),
                releaseAskedAt,
                releasedAt,
                cost,
                costInPlan,
                overrunInPlan,
                note);
    }

    public LeaseChange withReleaseAskedAt(Instant at) {
        return new LeaseChange(
                instance,
                endpoint,
                sentAt,
                readyAt,
                Optional.of(at),
                releasedAt,
                cost,
                costInPlan,
                overrunInPlan,
                note);
    }

    /**
     * Closing figures.
     *
     * @param paid what the vendor bills in all, in the offer's currency
     * @param paidInPlan what of it lies within the vendor's own rules, in the plan's currency
     * @param overrun the rest of it, in the plan's currency
     */
    public LeaseChange closed(Instant at, BigMoney paid, BigMoney paidInPlan, BigMoney overrun) {
        return new LeaseChange(
                instance,
                endpoint,
                sentAt,
                readyAt,
                releaseAskedAt,
                Optional.of(at),
                Optional.of(paid),
                Optional.of(paidInPlan),
                Optional.of(overrun),
                note);
    }

    public LeaseChange withNote(String words) {
        return new LeaseChange(
                instance,
                endpoint,
                sentAt,
                readyAt,
                releaseAskedAt,
                releasedAt,
                cost,
                costInPlan,
                overrunInPlan,
                Optional.of(words));
    }
}
