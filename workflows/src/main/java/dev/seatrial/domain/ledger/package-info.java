/** The ledger as a port: rows, lease states and their permitted changes, grants of money. */
@NullMarked
package dev.seatrial.domain.ledger;

import org.jspecify.annotations.NullMarked;
