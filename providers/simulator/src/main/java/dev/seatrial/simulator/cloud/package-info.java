/** The vendor's side: instances, billing, capacity and faults. No sockets here. */
@NullMarked
package dev.seatrial.simulator.cloud;

import org.jspecify.annotations.NullMarked;
