/** The adapter for the simulated vendor. */
@NullMarked
package dev.seatrial.vendors.sim;

import org.jspecify.annotations.NullMarked;
