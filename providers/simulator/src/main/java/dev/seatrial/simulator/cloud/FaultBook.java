package dev.seatrial.simulator.cloud;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The rules in force. Thread-safe. */
public final class FaultBook {
    private final InstantSource clock;
    private final List<Entry> entries = new ArrayList<>();

    public FaultBook(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * What one call meets.
     *
     * @param delay real time to hold the answer back
     * @param spoiler what replaces the answer
     * @param changes everything else, in order of installation
     */
    public record Meeting(Duration delay, Optional<FaultRule> spoiler, List<FaultRule> changes) {
        /** Changes of one kind. */
        public Optional<FaultRule> change(FaultRule.Action action) {
            return changes.stream().filter(rule -> rule.action() == action).findFirst();
        }
    }

    public synchronized void add(FaultRule rule) {
        entries.add(new Entry(rule, clock.instant()));
    }

    public synchronized void clear() {
        entries.clear();
    }

    /**
     * Counts a call and says what it meets.
     *
     * @param subject name and id of the instance concerned, or empty
     */
    public synchronized Meeting meet(FaultRule.Operation operation, String subject) {
        Duration delay = Duration.ZERO;
        Optional<FaultRule> spoiler = Optional.empty();
        List<FaultRule> changes = new ArrayList<>();
        for (Entry entry : entries) {
            FaultRule rule = entry.rule;
            // A list has no one subject: there the match picks items of the answer.
            boolean concerned = operation == FaultRule.Operation.LIST
                    || rule.action() == FaultRule.Action.VANISH
                    || subject.contains(rule.match());
            if (rule.operation() != operation || !concerned || !entry.strikes()) {
                continue;
            }
            delay = delay.plus(rule.delay());
            if (!rule.action().spoils()) {
                changes.add(rule);
            } else if (spoiler.isEmpty()) {
                spoiler = Optional.of(rule);
            }
        }
        return new Meeting(delay, spoiler, changes);
    }

    private final class Entry {
        private final FaultRule rule;
        private final Instant since;
        private final Random dice;
        private long calls;
        private long applied;

        Entry(FaultRule rule, Instant since) {
            this.rule = rule;
            this.since = since;
            this.dice = new Random(rule.seed());
        }

        boolean strikes() {
            calls++;
            boolean hit = rule.probability().isEmpty()
                    || dice.nextDouble() < rule.probability().getAsDouble();
            boolean over = rule.active().isPresent()
                    && !clock.instant().isBefore(since.plus(rule.active().get()));
            if (!hit || over || calls < rule.from() || calls > rule.to() || applied >= rule.times()) {
                return false;
            }
            applied++;
            return true;
        }
    }
}
