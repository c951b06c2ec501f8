/** Vendor adapters over one shared HTTP client. */
@NullMarked
package dev.seatrial.vendors;

import org.jspecify.annotations.NullMarked;
