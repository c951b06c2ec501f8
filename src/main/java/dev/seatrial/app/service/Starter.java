package dev.seatrial.app.service;

import dev.seatrial.app.preflight.Preflight;
import dev.seatrial.app.preflight.PreflightReport;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightWords;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.app.service.EvaluationService.Unusable;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The way from a plan to a running evaluation, the same for a command and for the service: checked first, nothing rented. */
public final class Starter {
    private final Providers providers;
    private final EvaluationService service;
    private final InstantSource clock;

    public Starter(Providers providers, EvaluationService service, InstantSource clock) {
        this.providers = providers;
        this.service = service;
        this.clock = clock;
    }

    /** Why a checked plan is not started. */
    public enum Obstacle {
        /** The plan cannot work with these vendors, whoever pays. */
        PLAN,
        /** No candidate can be tried. */
        NONE_USABLE,
        /** Some cannot, and nobody said that the others shall go on. */
        ONLY_SOME
    }

    /**
     * A plan, compared with what its vendors say.
     *
     * @param usable names of the candidates that can be tried
     * @param unusable the others, with the reason in the reader's language
     * @param errors what is wrong with the plan itself, each with its place
     * @param risks what the plan has accepted, and why that had to be
     */
    public record Checked(
            Plan plan, List<String> usable, List<Unusable> unusable, List<String> errors, List<String> risks) {
        public Checked {
            risks = List.copyOf(risks);
            usable = List.copyOf(usable);
            unusable = List.copyOf(unusable);
            errors = List.copyOf(errors);
        }

        /** @param partial whether the usable candidates shall go on without the others */
        public Optional<Obstacle> obstacle(boolean partial) {
            if (!errors.isEmpty()) {
                return Optional.of(Obstacle.PLAN);
            }
            if (usable.isEmpty()) {
                return Optional.of(Obstacle.NONE_USABLE);
            }
            return unusable.isEmpty() || partial ? Optional.empty() : Optional.of(Obstacle.ONLY_SOME);
        }
    }

    /**
     * Asks the vendors; rents nothing.
     *
     * @param source the plan's file, as problems shall name it
     */
    public Checked check(Plan plan, Path source, Locale locale) {
        PreflightReport report = new Preflight(providers, clock).check(plan);
        PreflightWords words = new PreflightWords(locale);
        List<Unusable> unusable = report.candidates().stream()
                .filter(c -> !c.usable())
                .map((CandidateCheck c) -> new Unusable(
                        c.candidate(), c.obstacle().map(words::message).orElse("")))
                .toList();
        List<String> errors = report.planErrors().stream()
                .map(f -> words.inPlan(f, source).toString())
                .toList();
        List<String> risks = report.risks().stream()
                .map(f -> words.message(f) + " " + words.next(f))
                .toList();
        return new Checked(plan, report.usable(), unusable, errors, risks);
    }

    /**
     * Starts what was checked.
     *
     * @param who who asked, for the audit
     * @param key idempotency key; the same key never starts a second evaluation
     * @return the evaluation's id
     * @throws IllegalArgumentException when the key stands for another plan
     */
    public String start(Checked checked, String who, Optional<String> key) {
        return service.start(checked.plan(), checked.usable(), checked.unusable(), who, key);
    }
}
