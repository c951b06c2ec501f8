/** Configured vendor accounts by name. */
@NullMarked
package dev.seatrial.app.provider;

import org.jspecify.annotations.NullMarked;
