package dev.seatrial.app.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Locale;

/** Makes everything that is read of an evaluation, from the ledger alone. */
public interface Reports {
    /** The one JSON document of an evaluation, as published. @throws IllegalArgumentException when there is no such evaluation */
    ObjectNode json(String evaluation);

    /**
     * Writes HTML, Markdown and JSON into {@code SEATRIAL_HOME/reports/<evaluation>/}.
     *
     * @return the HTML file
     */
    Path write(String evaluation, Locale locale);

    /** The closing table and what follows it, for a terminal. */
    String text(String evaluation, Locale locale, int columns, boolean color);
}
