/**
 * The control endpoint of the process that owns SEATRIAL_HOME: {@code /api/v1} on loopback, with a token in an
 * owner-only file, so that a second terminal can cancel, approve and release.
 */
@NullMarked
package dev.seatrial.app.control;

import org.jspecify.annotations.NullMarked;
