/** Rented machines: an SSH server each, and what it answers to the payload protocol. */
@NullMarked
package dev.seatrial.simulator.ssh;

import org.jspecify.annotations.NullMarked;
