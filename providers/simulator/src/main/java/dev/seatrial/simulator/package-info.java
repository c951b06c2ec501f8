/** A cloud in a box: vendor HTTP API, SSH hosts, billing meter, faults. */
@NullMarked
package dev.seatrial.simulator;

import org.jspecify.annotations.NullMarked;
