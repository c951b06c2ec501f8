package dev.seatrial.app.cli;

import dev.seatrial.app.App;
import dev.seatrial.domain.ledger.EvaluationRow;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Tells how an evaluation has ended: the table, the document, the report's place. */
final class Ending {
    private static final int COLUMNS = 120;

    private final Ui ui;
    private final App app;

    Ending(Ui ui, App app) {
        this.ui = ui;
        this.app = app;
    }

    /** @return the exit code */
    int tell(String evaluation, boolean live) {
        String report = "–";
        try {
            report = app.reports().write(evaluation, ui.locale()).toString();
        } catch (UncheckedIOException e) {
            ui.err(ui.say("report.failed", e.getCause(), evaluation));
        }
        ui.out("");
        ui.out(app.reports().text(evaluation, ui.locale(), columns(), live));
        if (ui.json()) {
            ui.document(app.reports().json(evaluation));
        }
        EvaluationRow row = app.ledger().evaluation(evaluation).orElseThrow();
        int code = ExitCode.of(app.ledger(), row);
        ui.err(ui.say("evaluate.ended", ui.say("status." + row.status().word()), code, report));
        return code;
    }

    private static int columns() {
        try {
            return Math.max(
                    60,
                    Integer.parseInt(
                            Optional.ofNullable(System.getenv("COLUMNS")).orElse("")));
        } catch (NumberFormatException e) {
            return COLUMNS;
        }
    }
}
