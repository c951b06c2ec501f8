package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.Accounting;
import dev.seatrial.app.App;
import dev.seatrial.app.bench.OwnFiles;
import dev.seatrial.app.config.Settings;
import dev.seatrial.app.preflight.Preflight;
import dev.seatrial.app.preflight.PreflightReport;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightReport.LeaseEstimate;
import dev.seatrial.app.preflight.PreflightWords;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** What can be told before anything is paid. Rents nothing. */
@Command(name = "check", mixinStandardHelpOptions = true)
final class CheckCommand extends Base {
    @Parameters(index = "0", paramLabel = "PLAN", descriptionKey = "plan")
    @SuppressWarnings("NullAway.Init")
    Path plan;

    @Override
    int run(Ui ui) throws Problem {
        Settings settings = settings(ui);
        Plan loaded = SettingsAccess.plan(plan, settings, ui.locale());
        try (Accounting accounts = Accounting.open(settings, Clock.systemUTC())) {
            PreflightReport report = new Preflight(accounts.providers(), Clock.systemUTC()).check(loaded);
            PreflightWords words = new PreflightWords(ui.locale());
            ui.out(ui.say("check.title", loaded.name()));
            ObjectNode doc = JsonNodeFactory.instance.objectNode();
            doc.put("plan", loaded.name());
            doc.put("ok", report.ok());
            doc.put("worst", report.worst().getAmount().toPlainString());
            doc.put("cap", report.cap().getAmount().toPlainString());
            doc.put("currency", report.cap().getCurrencyUnit().getCode());
            findings(ui, words, report.findings(), doc.putArray("findings"), loaded.name());
            ArrayNode list = doc.putArray("candidates");
            for (CandidateCheck c : report.candidates()) {
                candidate(ui, words, c, list.addObject());
            }
            own(ui, SettingsAccess.own(settings, ui.locale()), doc.putArray("own"));
            ui.out(ui.say("check.worst", Progress.money(report.worst()), Progress.money(report.cap())));
            limits(ui, settings, report, doc.putArray("limits"));
            ui.out(ui.say("check.nothing"));
            if (report.ok()) {
                ui.out(ui.say("check.start", command("evaluate " + plan)));
            }
            ArrayNode errors = doc.putArray("planErrors");
            report.planErrors().forEach(f -> {
                errors.add(words.inPlan(f, plan).toString());
                ui.out(words.inPlan(f, plan).toString());
            });
            ui.document(doc);
            return code(report);
        }
    }

    /** Those of the configuration, which an evaluation would go by. */
    private static void limits(Ui ui, Settings settings, PreflightReport report, ArrayNode list) {
        if (settings.limits().isEmpty()) {
            return;
        }
        SpendLimits limits = settings.limits().get();
        Instant now = Clock.systemUTC().instant();
        Optional<App> app = OwnerAccess.look(settings);
        try {
            Optional<Ledger> ledger = app.map(App::ledger);
            for (boolean simulated : new boolean[] {false, true}) {
                List<CandidateCheck> candidates = report.candidates().stream()
                        .filter(c -> c.simulated() == simulated)
                        .toList();
                if (candidates.isEmpty()) {
                    continue;
                }
                LimitLines.tell(ui, ledger, limits, simulated, now, list);
                candidates.forEach(c -> LimitLines.tooLittle(ui, ledger, limits, c, now));
            }
        } finally {
            app.ifPresent(App::close);
        }
    }

    private static void own(Ui ui, OwnFiles files, ArrayNode list) {
        for (OwnFiles.Override o : files.overrides()) {
            list.addObject()
                    .put("file", o.file())
                    .put("what", o.what())
                    .put("own", o.own())
                    .put("shipped", o.shipped());
            ui.out(
                    o.shipped().isEmpty()
                            ? ui.say("check.own.new", o.file(), o.what(), o.own())
                            : ui.say("check.own", o.file(), o.what(), o.own(), o.shipped()));
        }
    }

    private static int code(PreflightReport report) {
        if (report.ok()) {
            return ExitCode.OK;
        }
        return report.planErrors().isEmpty() && report.usable().isEmpty() ? ExitCode.NOTHING_RENTED : ExitCode.USAGE;
    }

    private static void candidate(Ui ui, PreflightWords words, CandidateCheck c, ObjectNode node) {
        node.put("candidate", c.candidate());
        node.put("provider", c.provider());
        node.put("simulated", c.simulated());
        node.put("usable", c.usable());
        ArrayNode leases = node.putArray("leases");
        for (LeaseEstimate l : c.leases()) {
            String price = l.offer().pricing().totalHourly().toString();
            leases.addObject()
                    .put("phase", l.phase().word())
                    .put("gpus", l.gpus())
                    .put("offer", l.offer().id().value())
                    .put("hourly", price)
                    .put("worst", l.worstInPlan().getAmount().toPlainString());
            ui.out(ui.say(
                    "check.ok",
                    c.candidate(),
                    (c.simulated() ? ui.say("simulated.tag") + " " : "")
                            + l.phase().word() + " ×" + l.gpus() + "  " + price + "/h  ≤ "
                            + Progress.money(l.worstInPlan())));
        }
        findings(ui, words, c.findings(), node.putArray("findings"), c.candidate());
    }

    private static void findings(Ui ui, PreflightWords words, List<Finding> findings, ArrayNode list, String subject) {
        for (Finding f : findings) {
            list.addObject()
                    .put("code", f.code())
                    .put("severity", f.severity().word())
                    .put("owner", f.owner().word())
                    .put("message", words.message(f))
                    .put("next", words.next(f));
            ui.out(ui.say("check." + (f.severity().word().equals("fail") ? "bad" : "note"), subject, words.message(f)));
            if (!words.next(f).isEmpty()) {
                ui.out("      " + words.next(f));
            }
        }
    }
}
