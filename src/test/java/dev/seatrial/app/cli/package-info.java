/** The command line: its words in both languages. */
@NullMarked
package dev.seatrial.app.cli;

import org.jspecify.annotations.NullMarked;
