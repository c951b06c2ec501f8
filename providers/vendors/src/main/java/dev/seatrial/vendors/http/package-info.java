/** The HTTP client that every vendor's adapter uses: paced, bounded, redacted, and honest about what may have happened. */
@NullMarked
package dev.seatrial.vendors.http;

import org.jspecify.annotations.NullMarked;
