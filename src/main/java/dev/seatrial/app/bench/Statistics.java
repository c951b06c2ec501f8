package dev.seatrial.app.bench;

import java.util.Arrays;

/** Middle and spread that a few odd values do not move. */
final class Statistics {
    /** Standard deviations that one median absolute deviation stands for, in a normal distribution. */
    private static final double SIGMA = 1.4826;

    private Statistics() {}

    /** NaN of nothing. */
    static double median(double[] values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** Standard deviation estimated from the median absolute deviation; NaN of nothing. */
    static double spread(double[] values) {
        double middle = median(values);
        return SIGMA
                * median(Arrays.stream(values).map(v -> Math.abs(v - middle)).toArray());
    }
}
