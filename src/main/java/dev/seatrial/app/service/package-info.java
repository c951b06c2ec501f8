/** Starting, watching, cancelling, resuming evaluations: what the command line, the control endpoint and later the pages call. */
@NullMarked
package dev.seatrial.app.service;

import org.jspecify.annotations.NullMarked;
