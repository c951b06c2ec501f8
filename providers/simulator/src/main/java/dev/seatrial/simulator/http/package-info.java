/** A small HTTP/1.1 server and the simulated vendor's API on it. */
@NullMarked
package dev.seatrial.simulator.http;

import org.jspecify.annotations.NullMarked;
