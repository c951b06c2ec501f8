package dev.seatrial.app.remote;

import java.util.Optional;
import java.util.OptionalInt;

/** This machine. Components as in {@link Target}. */
public record LocalTarget(Optional<String> gpu, OptionalInt gpus, Optional<String> dir) implements Target {}
