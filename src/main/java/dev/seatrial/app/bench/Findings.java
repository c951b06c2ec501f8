package dev.seatrial.app.bench;

import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Makes the findings of this side; their English texts are in the bundle under their code. */
final class Findings {
    private Findings() {}

    static Finding of(String code, Severity severity, Owner owner, String... params) {
        return of(code, severity, owner, "", params);
    }

    /** @param params names and values by turns */
    static Finding of(String code, Severity severity, Owner owner, Evidenced evidence, String... params) {
        return of(code, severity, owner, evidence.text(), params);
    }

    /** Raw text that shows a finding. */
    record Evidenced(String text) {}

    private static Finding of(String code, Severity severity, Owner owner, String evidence, String[] params) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i + 1 < params.length; i += 2) {
            values.put(params[i], params[i + 1]);
        }
        Map<String, String> shown = Words.named(values, Locale.ENGLISH);
        return new Finding(
                code,
                severity,
                owner,
                Words.sure(code, shown, Locale.ENGLISH),
                values,
                evidence,
                Words.text(code + ".next", shown, Locale.ENGLISH).orElse(""));
    }

    /** The same finding with another weight. */
    static Finding weighing(Finding finding, Severity severity) {
        return new Finding(
                finding.code(),
                severity,
                finding.owner(),
                finding.message(),
                finding.params(),
                finding.evidence(),
                finding.next());
    }
}
