package dev.seatrial.app.preflight;

import dev.seatrial.app.config.Messages;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import java.util.Locale;
import java.util.Map;

/** The words of findings before renting, in one language. */
public final class PreflightWords {
    private final Messages bundle;

    public PreflightWords(Locale locale) {
        this.bundle = new Messages("preflight.messages", locale);
    }

    /** What is so. A finding that is not of this package keeps its own English. */
    public String message(Finding finding) {
        return bundle.has(finding.code()) ? filled(finding.code(), finding.params()) : finding.message();
    }

    /** What to do next; may be empty. */
    public String next(Finding finding) {
        String key = finding.code() + ".next";
        return bundle.has(key) ? filled(key, finding.params()) : finding.next();
    }

    static Finding english(String code, Severity severity, Owner owner, Map<String, String> params) {
        PreflightWords words = new PreflightWords(Locale.ENGLISH);
        Finding bare = new Finding(code, severity, owner, "", params, "", "");
        return new Finding(code, severity, owner, words.message(bare), params, "", words.next(bare));
    }

    private String filled(String key, Map<String, String> params) {
        String text = bundle.raw(key);
        for (Map.Entry<String, String> param : params.entrySet()) {
            text = text.replace("{" + param.getKey() + "}", param.getValue());
        }
        return text;
    }
}
