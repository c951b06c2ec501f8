/** What users read at the end: the JSON document, HTML, Markdown. Built from the ledger alone. */
@NullMarked
package dev.seatrial.app.report;

import org.jspecify.annotations.NullMarked;
