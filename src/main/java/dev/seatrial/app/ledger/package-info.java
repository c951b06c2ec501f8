/** The ledger on SQL, and the lock that gives one process a data directory. */
@NullMarked
package dev.seatrial.app.ledger;

import org.jspecify.annotations.NullMarked;
