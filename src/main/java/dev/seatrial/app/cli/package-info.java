/**
 * The command line. Each command is a class; words come from bundles in English and 中文; standard output carries the
 * result (with {@code --json} exactly one JSON document), standard error carries progress and problems.
 */
@NullMarked
package dev.seatrial.app.cli;

import org.jspecify.annotations.NullMarked;
