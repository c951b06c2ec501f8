/** The application as users run it: its own process, real signals, a simulated cloud that outlives it. */
@NullMarked
package dev.seatrial.app.process;

import org.jspecify.annotations.NullMarked;
