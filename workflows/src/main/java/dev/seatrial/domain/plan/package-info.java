/** The plan as it is after reading and validation: complete, with every default filled in. */
@NullMarked
package dev.seatrial.domain.plan;

import org.jspecify.annotations.NullMarked;
