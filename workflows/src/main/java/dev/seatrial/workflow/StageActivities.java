package dev.seatrial.workflow;

import dev.seatrial.domain.measure.StageSummary;
import io.temporal.activity.ActivityInterface;

/** Benchmarks on a machine over SSH, or on this one. Runs on {@link Queues#STAGES}. */
@ActivityInterface(namePrefix = "Stage")
public interface StageActivities {
    /** Puts the payload and the task's files on the machine, checks the digest. Safe to repeat. */
    void prepare(StageTarget target);

    /** Starts the stage detached, or attaches to it. */
    void start(StageRun run);

    /**
     * Waits, by failing retryably, until the stage has ended; stores events as they come. A lost connection is retried
     * and never the stage's failure. A workflow that has lost interest does not cancel it but lets it be, so it fails with
     * {@link NotYet#never} once the run has been stopped or its lease is closed.
     */
    void await(StageRun run);

    /** Collects raw outputs and judges. Called after the end, after our limit was reached, or when the machine was lost. */
    StageSummary finish(StageRun run, String howItEnded);

    /** Stops the stage with its whole process group; best effort, within seconds. */
    void stop(StageRun run);

    /** Removes everything of ours from the machine; best effort for rented ones, must succeed for borrowed ones. */
    void clean(StageTarget target);
}
