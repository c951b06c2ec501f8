/** What users read at the end. */
@NullMarked
package dev.seatrial.app.report;

import org.jspecify.annotations.NullMarked;
