/**
 * Everything that touches a vendor for one lease: create once, adopt by name, wait until usable, release until proven
 * gone. {@link dev.seatrial.app.lease.Releaser} is shared by the workflow's activity, the recovery of a dead owner and
 * the sweep, so that there is one rule for what counts as gone.
 */
@NullMarked
package dev.seatrial.app.lease;

import org.jspecify.annotations.NullMarked;
