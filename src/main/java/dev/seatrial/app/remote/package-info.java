/** Machines: rented, handed over, or this one. SSH, file transfer, and the stage activities that drive the payload. */
@NullMarked
package dev.seatrial.app.remote;

import org.jspecify.annotations.NullMarked;
