/**
 * Search of vendor accounts for instances that should not exist any more. Plain classes: they need neither Temporal nor,
 * for what is past its deadline, the ledger.
 */
@NullMarked
package dev.seatrial.app.sweep;

import org.jspecify.annotations.NullMarked;
