package dev.seatrial.domain.plan;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What to try, how, within what.
 *
 * @param name the plan's name, {@code [a-z0-9-]}, at most 60
 * @param hash SHA-256 of the normalised plan, hex; two runs with the same hash are comparable
 * @param preset quick, standard or acceptance
 * @param budget cap and rates
 * @param candidates at least one, names unique
 * @param singleStages stages of the single phase in running order, {@code environment} first
 * @param multi the multi phase, or none
 * @param stability how long the stability stage loads the machine
 * @param task the team's own task, present when a phase runs the task stage
 * @param networkUrls places the network stage downloads from; may be empty
 * @param storageDir directory on the machine that the storage stage tests; empty = the work directory
 * @param limits limits in time
 * @param accept risks that the plan accepts explicitly, e.g. {@code cap-not-guaranteed-offline}
 * @param approvalTimeout how long an approval is awaited before the multi phase is skipped
 * @param expect the plan's own bounds of the trial's figures, by metric; they decide instead of references
 */
public record Plan(
        String name,
        String hash,
        String preset,
        Budget budget,
        List<Candidate> candidates,
        List<StageName> singleStages,
        Optional<MultiPhase> multi,
        Duration stability,
        Optional<TaskSpec> task,
        List<String> networkUrls,
        Optional<String> storageDir,
        Limits limits,
        Set<String> accept,
        Duration approvalTimeout,
        Map<String, TaskSpec.Expectation> expect) {
    /** Accepts vendors for which nobody outside our processes ends the bill (law 2). */
    public static final String ACCEPT_OFFLINE = "cap-not-guaranteed-offline";

    public Plan {
        candidates = List.copyOf(candidates);
        singleStages = List.copyOf(singleStages);
        networkUrls = List.copyOf(networkUrls);
        accept = Set.copyOf(accept);
        // A plan that was stored before there were bounds has none.
        expect = Map.copyOf(Objects.requireNonNullElse(expect, Map.of()));
    }

    /** Without bounds of its own. */
    public Plan(
            String name,
            String hash,
            String preset,
            Budget budget,
            List<Candidate> candidates,
            List<StageName> singleStages,
            Optional<MultiPhase> multi,
            Duration stability,
            Optional<TaskSpec> task,
            List<String> networkUrls,
            Optional<String> storageDir,
            Limits limits,
            Set<String> accept,
            Duration approvalTimeout) {
        this(
                name,
                hash,
                preset,
                budget,
                candidates,
                singleStages,
                multi,
                stability,
                task,
                networkUrls,
                storageDir,
                limits,
                accept,
                approvalTimeout,
                Map.of());
    }

    /** @throws IllegalArgumentException when the plan has no such candidate */
    public Candidate candidate(String name) {
        return candidates.stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no candidate " + name));
    }
}
