package dev.seatrial.workflow;

/** Task queues. Releases have their own, so that nothing else can delay them (law 6). */
public final class Queues {
    /** Evaluations and trials. */
    public static final String CONTROL = "seatrial-control";
    /** Lease workflows and everything that creates or releases. */
    public static final String RELEASE = "seatrial-release";
    /** Benchmarks over SSH. */
    public static final String STAGES = "seatrial-stages";

    private Queues() {}
}
