package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Verdict;
import java.util.Optional;

/**
 * Why a figure has its verdict. A pure function of the figure with its reference, so that a stored result explains
 * itself again in any language.
 *
 * @param verdict judgement
 * @param why what decided
 * @param bar the bar that decided: a share, or a limit in the figure's unit; NaN where none did
 */
record Assessment(Verdict verdict, Why why, double bar) {
    /** Quality of a reference that is the plan's expectation: at least this much. */
    static final String AT_LEAST = "expected at least";
    /** Quality of a reference that is the plan's expectation: at most this much. */
    static final String AT_MOST = "expected at most";
    /** Quality of what the vendor promised. */
    static final String PROMISED = "promised";
    /** Quality of the least that a class of disks or machines gives. */
    static final String CLASS = "class";
    /** Attribute that names what holds a figure below the full reference. */
    static final String LIMITED_BY = "limitedBy";

    enum Why {
        BELOW,
        BELOW_DERIVED,
        BELOW_HERE,
        ABOVE,
        DIP,
        UNSTABLE,
        OVER_LIMIT,
        AT_LEAST,
        AT_MOST,
        LIMITED,
        UNSURE,
        GOOD,
        PLAIN,
        NO_REFERENCE
    }

    static Assessment of(Measurement m, Policy policy) {
        Optional<Reference> reference = m.reference();
        if (reference.isPresent() && reference.get().quality().equals(AT_LEAST)) {
            return sure(m, expectation(m, policy, reference.get(), Why.AT_LEAST));
        }
        if (reference.isPresent() && reference.get().quality().equals(AT_MOST)) {
            return sure(m, expectation(m, policy, reference.get(), Why.AT_MOST));
        }
        return policy.rule(m.name())
                .map(rule -> sure(m, byRule(m, rule, policy)))
                .orElseGet(() -> new Assessment(Verdict.UNKNOWN, Why.NO_REFERENCE, Double.NaN));
    }

    private static Assessment byRule(Measurement m, Policy.Rule rule, Policy policy) {
        switch (rule.kind()) {
            case LIMIT:
                if (rule.failAbove().isPresent() && m.value() > rule.failAbove().getAsDouble()) {
                    return new Assessment(
                            Verdict.FAIL, Why.OVER_LIMIT, rule.failAbove().getAsDouble());
                }
                if (rule.warnAbove().isPresent() && m.value() > rule.warnAbove().getAsDouble()) {
                    return new Assessment(
                            Verdict.WARN, Why.OVER_LIMIT, rule.warnAbove().getAsDouble());
                }
                return new Assessment(Verdict.PASS, Why.PLAIN, Double.NaN);
            case PROMISE:
                if (m.reference().isEmpty()) {
                    return new Assessment(m.value() > 0 ? Verdict.PASS : Verdict.UNKNOWN, Why.NO_REFERENCE, Double.NaN);
                }
                break;
            default:
                break;
        }
        if (m.reference().isEmpty()) {
            return new Assessment(Verdict.UNKNOWN, Why.NO_REFERENCE, Double.NaN);
        }
        Reference reference = m.reference().get();
        if (rule.kind() == Policy.Kind.STORAGE_LATENCY) {
            return m.value() > reference.value()
                    ? new Assessment(Verdict.FAIL, Why.OVER_LIMIT, reference.value())
                    : new Assessment(Verdict.PASS, Why.PLAIN, Double.NaN);
        }
        return byShare(m, rule, reference, policy);
    }

    private static Assessment byShare(Measurement m, Policy.Rule rule, Reference reference, Policy policy) {
        double share = m.value() / reference.value();
        double pass = 1 - reference.tolerance();
        boolean platform =
                rule.kind() == Policy.Kind.ALLREDUCE && reference.quality().equals(CLASS);
        double fail = platform ? policy.threshold("machine", "classFail") : rule.failBar(reference.tolerance());
        boolean here = reference.quality().equals(References.HERE);
        boolean derived = reference.quality().equals(References.DERIVED) || here && !policy.learnedFails();
        Why below = here ? Why.BELOW_HERE : derived ? Why.BELOW_DERIVED : Why.BELOW;
        boolean measured = reference.quality().equals(References.MEASURED);
        if (share < fail) {
            return new Assessment(derived ? Verdict.WARN : Verdict.FAIL, below, fail);
        }
        if (share < pass) {
            return new Assessment(Verdict.WARN, below, pass);
        }
        if (measured && rule.above().isPresent() && share > rule.above().getAsDouble()) {
            return new Assessment(Verdict.WARN, Why.ABOVE, rule.above().getAsDouble());
        }
        if (rule.least() && m.samples() > 1 && m.min() / reference.value() < pass) {
            return new Assessment(Verdict.WARN, Why.DIP, pass);
        }
        if (rule.cv().isPresent() && m.samples() >= 3 && m.cv() > rule.cv().getAsDouble()) {
            return new Assessment(Verdict.WARN, Why.UNSTABLE, rule.cv().getAsDouble());
        }
        if (m.attrs().containsKey(LIMITED_BY)) {
            return new Assessment(Verdict.WARN, Why.LIMITED, pass);
        }
        return new Assessment(Verdict.PASS, Why.GOOD, pass);
    }

    /** A method that could not exclude an illusion can warn, and neither pass nor fail. */
    private static Assessment sure(Measurement m, Assessment found) {
        if (!m.lowConfidence()) {
            return found;
        }
        return switch (found.verdict) {
            case PASS -> new Assessment(Verdict.UNKNOWN, Why.UNSURE, found.bar);
            case FAIL -> new Assessment(Verdict.WARN, found.why, found.bar);
            default -> found;
        };
    }

    private static Assessment expectation(Measurement m, Policy policy, Reference reference, Why why) {
        double miss = why == Why.AT_LEAST
                ? (reference.value() - m.value()) / Math.abs(reference.value())
                : (m.value() - reference.value()) / Math.abs(reference.value());
        if (!(miss > 0)) {
            return new Assessment(Verdict.PASS, why, reference.value());
        }
        boolean far = reference.value() == 0 || miss > policy.threshold("machine", "expectationFail");
        return new Assessment(far ? Verdict.FAIL : Verdict.WARN, why, reference.value());
    }
}
