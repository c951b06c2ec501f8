package dev.seatrial.app.bench;

import java.time.Instant;

/**
 * A figure of an earlier evaluation: one machine's, the median over its GPUs.
 *
 * @param lease the machine's lease
 * @param metric metric name
 * @param method method and version
 * @param stack software below it, see {@link Stack}
 * @param value in the metric's unit
 * @param at when it was measured
 */
public record Past(String lease, String metric, String method, String stack, double value, Instant at) {}
