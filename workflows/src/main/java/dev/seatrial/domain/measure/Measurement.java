package dev.seatrial.domain.measure;

import java.util.Map;
import java.util.Optional;

/**
 * A number with its evidence and judgement.
 *
 * @param name metric name
 * @param gpu GPU UUID, or empty for the machine
 * @param value median of the samples, in {@code unit}
 * @param unit unit
 * @param samples number of samples, at least 1
 * @param min smallest sample
 * @param max largest sample
 * @param cv coefficient of variation (0.004 = 0.4 %); 0 for one sample
 * @param method method and version, e.g. {@code matmul/1}; figures of different methods are never compared
 * @param tool tool and its version
 * @param lowConfidence whether the method could not exclude an illusion (such as a page cache)
 * @param attrs further facts, e.g. bytes, from, to
 * @param reference what it is held against
 * @param ratio value / reference (reference / value where lower is better)
 * @param verdict judgement of this metric
 */
public record Measurement(
        String name,
        Optional<String> gpu,
        double value,
        String unit,
        int samples,
        double min,
        double max,
        double cv,
        String method,
        String tool,
        boolean lowConfidence,
        Map<String, String> attrs,
        Optional<Reference> reference,
        Optional<Double> ratio,
        Verdict verdict) {
    public Measurement {
        attrs = Map.copyOf(attrs);
    }
}
