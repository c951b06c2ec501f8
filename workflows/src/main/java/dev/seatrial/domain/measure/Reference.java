package dev.seatrial.domain.measure;

/**
 * What a healthy card of this exact form factor achieves with this method.
 *
 * @param value in the measurement's unit
 * @param source where the figure comes from
 * @param date when it was measured or looked up, ISO date or year-month
 * @param quality {@code measured} or {@code derived}; a derived one warns at most
 * @param tolerance share of the value still counted as a pass, e.g. 0.08
 */
public record Reference(double value, String source, String date, String quality, double tolerance) {}
