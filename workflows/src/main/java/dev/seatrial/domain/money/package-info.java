/** What a lease may cost and until when it may live. Pure arithmetic, rounding up. */
@NullMarked
package dev.seatrial.domain.money;

import org.jspecify.annotations.NullMarked;
