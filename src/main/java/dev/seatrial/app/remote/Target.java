package dev.seatrial.app.remote;

import java.util.Optional;
import java.util.OptionalInt;

/** A machine that somebody handed over, as configured: another one over SSH, or this one. */
public sealed interface Target permits SshTarget, LocalTarget {
    /** GPU model as the catalogue names it, when the configuration states it. */
    Optional<String> gpu();

    /** Number of GPUs, when the configuration states it. */
    OptionalInt gpus();

    /** Where our working directory goes, when the configuration states it. */
    Optional<String> dir();
}
