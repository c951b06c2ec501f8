package dev.seatrial.app.preflight;

import dev.seatrial.app.config.Messages;
import dev.seatrial.app.config.Problem;
import dev.seatrial.app.config.ProblemsException;
import dev.seatrial.app.config.YamlFile;
import dev.seatrial.app.config.YamlTree;
import dev.seatrial.app.plan.PlanException.PlanError;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import java.nio.file.Path;
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

    /**
     * The finding as an error of the plan's file, with line and column where the file still holds the place.
     *
     * @param file the plan as the user named it
     */
    public PlanError inPlan(Finding finding, Path file) {
        String path = finding.params().getOrDefault(PreflightCodes.FIELD, "");
        try {
            YamlTree tree = YamlFile.read(file, file.toString(), new Messages("config.yaml", bundle.locale()));
            Problem at = tree.problem(tree.find(path), message(finding), next(finding));
            return new PlanError(at.file(), at.line(), at.column(), at.path(), at.message(), at.hint());
        } catch (ProblemsException e) {
            // It could be read a moment ago; the finding itself is still worth telling.
            return new PlanError(file.toString(), 0, 0, path, message(finding), next(finding));
        }
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
