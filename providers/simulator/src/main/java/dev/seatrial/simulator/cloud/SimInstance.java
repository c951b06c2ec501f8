package dev.seatrial.simulator.cloud;

import dev.seatrial.simulator.Profile;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** One instance. What it is at a moment is derived from that moment alone; nothing happens in the background. */
public final class SimInstance {
    /** What it is doing. */
    public enum Phase {
        NOT_YET("requested"),
        PROVISIONING("provisioning"),
        BOOTING("booting"),
        RUNNING("running"),
        FAILED("failed"),
        DELETING("deleting"),
        GONE("terminated");

        private final String word;

        Phase(String word) {
            this.word = word;
        }

        /** The vendor's word. */
        public String word() {
            return word;
        }
    }

    private static final Duration NEVER = Duration.ofDays(36_500);

    private final String id;
    private final Cloud.CreateOrder order;
    private final Profile.OfferSpec offer;
    private final String publicKey;
    private final Instant from;
    private final BigDecimal hourly;
    private final Duration boot;
    private final Duration hidden;
    private final Duration lag;
    private final boolean fails;
    private final boolean deadSsh;
    private Duration releaseTakes;
    private Optional<Instant> deleteAt = Optional.empty();
    private Optional<Instant> deletedByVendor = Optional.empty();
    private Optional<Instant> shutDownAt = Optional.empty();
    private Optional<Instant> releasedAt = Optional.empty();
    private Optional<Instant> refusedUntil = Optional.empty();
    private Optional<Instant> vanishedAt = Optional.empty();

    SimInstance(
            String id,
            Cloud.CreateOrder order,
            Profile.OfferSpec offer,
            String publicKey,
            Instant from,
            Profile.Timing timing,
            FaultBook.Meeting meeting) {
        this.id = id;
        this.order = order;
        this.offer = offer;
        this.publicKey = publicKey;
        this.from = from;
        this.hourly = meeting.change(FaultRule.Action.PRICE)
                .map(rule -> offer.hourly().multiply(BigDecimal.valueOf(rule.factor())))
                .orElse(offer.hourly());
        this.hidden = span(meeting, FaultRule.Action.HIDE);
        this.lag = span(meeting, FaultRule.Action.LAG);
        this.fails = meeting.change(FaultRule.Action.FAILS).isPresent();
        this.deadSsh = meeting.change(FaultRule.Action.DEAD_SSH).isPresent();
        this.boot = meeting.change(FaultRule.Action.NEVER_BOOTS).isPresent()
                ? NEVER
                : Cloud.seconds(timing.boot()).plus(span(meeting, FaultRule.Action.SLOW_BOOT));
        this.releaseTakes = Cloud.seconds(timing.release());
    }

    private static Duration span(FaultBook.Meeting meeting, FaultRule.Action action) {
        return meeting.change(action).map(FaultRule::span).orElse(Duration.ZERO);
    }

    /** When it is really gone, be that past or to come; empty while nothing ends it. */
    Optional<Instant> goneAt() {
        return earlier(ending().map(at -> at.plus(releaseTakes)), vanishedAt);
    }

    /** When it begins to end, whoever wants it. */
    private Optional<Instant> ending() {
        return earlier(earlier(releasedAt, deletedByVendor), shutDownAt);
    }

    /** What it really is. */
    Phase phase(Instant now) {
        if (now.isBefore(from)) {
            return Phase.NOT_YET;
        }
        if (goneAt().filter(at -> !at.isAfter(now)).isPresent()) {
            return Phase.GONE;
        }
        if (ending().filter(at -> !at.isAfter(now)).isPresent()) {
            return Phase.DELETING;
        }
        if (now.isBefore(from.plus(boot.equals(NEVER) ? Duration.ZERO : boot.dividedBy(3)))) {
            return Phase.PROVISIONING;
        }
        if (now.isBefore(from.plus(boot))) {
            return Phase.BOOTING;
        }
        return fails ? Phase.FAILED : Phase.RUNNING;
    }

    /** What reads show: older than the truth where the vendor lags; empty while the vendor does not show it at all. */
    Optional<Phase> shown(Instant now, Duration terminatedShown) {
        if (now.isBefore(from.plus(hidden)) || now.isBefore(from)) {
            return Optional.empty();
        }
        Instant seen = now.minus(lag);
        Phase phase = phase(seen.isBefore(from) ? from : seen);
        boolean over = phase == Phase.GONE
                && goneAt().filter(at -> at.plus(terminatedShown).isAfter(seen)).isEmpty();
        return over ? Optional.empty() : Optional.of(phase);
    }

    /**
     * Lets the machine do what its start-up script says, once it is up.
     *
     * @param skew how far its wall clock is ahead
     */
    void runStartUp(Duration skew) {
        if (!boot.equals(NEVER) && !fails) {
            Instant up = from.plus(boot);
            shutDownAt = StartUp.shutsDown(order.userData(), up, up.plus(skew));
        }
    }

    void release(Instant at) {
        releasedAt = earlier(releasedAt, Optional.of(at));
    }

    void slowRelease(Duration longer) {
        releaseTakes = releaseTakes.plus(longer);
    }

    void refuseReleaseUntil(Instant until) {
        refusedUntil = Optional.of(until);
    }

    /** How long releases are still refused. */
    Optional<Duration> refused(Instant now) {
        return refusedUntil.filter(now::isBefore).map(until -> Duration.between(now, until));
    }

    void vanish(Instant at) {
        vanishedAt = earlier(vanishedAt, Optional.of(at));
    }

    /** @param acts when the vendor will really do it; empty when it never does */
    void armDeadline(Instant shown, Optional<Instant> acts) {
        deleteAt = Optional.of(shown);
        deletedByVendor = acts;
    }

    static Optional<Instant> earlier(Optional<Instant> a, Optional<Instant> b) {
        if (a.isEmpty() || b.isEmpty()) {
            return a.or(() -> b);
        }
        return a.get().isBefore(b.get()) ? a : b;
    }

    public String id() {
        return id;
    }

    public String name() {
        return order.name();
    }

    /** Name and id, for fault rules. */
    String subject() {
        return name() + " " + id;
    }

    Cloud.CreateOrder order() {
        return order;
    }

    public Profile.OfferSpec offer() {
        return offer;
    }

    /** The one key that may log in, as an OpenSSH line. */
    public String publicKey() {
        return publicKey;
    }

    public Instant from() {
        return from;
    }

    BigDecimal hourly() {
        return hourly;
    }

    boolean deadSsh() {
        return deadSsh;
    }

    Optional<Instant> deleteAt() {
        return deleteAt;
    }

    Meter.Tariff tariff() {
        return new Meter.Tariff(hourly, offer.stepSeconds(), offer.minimumSeconds());
    }
}
