/** Seatrial, the application. */
@NullMarked
package dev.seatrial.app;

import org.jspecify.annotations.NullMarked;
